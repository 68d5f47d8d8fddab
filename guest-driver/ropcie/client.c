// SPDX-License-Identifier: GPL-2.0-only

#include <linux/export.h>
#include <linux/netdevice.h>
#include <linux/uio.h>

#include "client.h"
#include "node.h"
#include "path.h"

#define CLIENTS		2	/* kinds from ROPCIE_KIND_TRANSPORT on */

static const struct ropcie_client __rcu *clients[CLIENTS];

static unsigned int client_index(const struct ropcie_client *client)
{
	return client->kind - ROPCIE_KIND_TRANSPORT;
}

static const struct ropcie_client *client_locked(unsigned int index)
{
	return rcu_dereference_protected(clients[index], lockdep_is_held(&ropcie_mutex));
}

/* ---- Nodes and peers: ropcie_mutex ---- */

static void client_add(const struct ropcie_client *client, struct ropcie_node *node)
{
	int err = client->add ? client->add(node) : 0;

	if (err)
		netdev_err(node->netdev, "no packets of kind %u: error %d\n", client->kind, err);
	else
		WRITE_ONCE(node->clients, node->clients | BIT(client_index(client)));
	if (!err && client->port)
		client->port(node);
}

static void client_remove(const struct ropcie_client *client, struct ropcie_node *node)
{
	if (!(node->clients & BIT(client_index(client))))
		return;
	/* Packets come until the end: who ends a connection wants an answer. */
	if (client->remove)
		client->remove(node);
	WRITE_ONCE(node->clients, node->clients & ~BIT(client_index(client)));
	synchronize_net();
}

static void client_link(const struct ropcie_client *client, struct ropcie_peer *peer, bool up)
{
	if (client->link && peer->node->clients & BIT(client_index(client)))
		client->link(peer, up);
}

void ropcie_clients_add(struct ropcie_node *node)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++)
		if (client_locked(i))
			client_add(client_locked(i), node);
}

void ropcie_clients_remove(struct ropcie_node *node)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++)
		if (client_locked(i))
			client_remove(client_locked(i), node);
}

void ropcie_clients_link(struct ropcie_peer *peer, bool up)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++)
		if (client_locked(i))
			client_link(client_locked(i), peer, up);
}

int ropcie_client_register(const struct ropcie_client *client)
{
	struct ropcie_node *node;
	struct ropcie_peer *peer;
	int err = 0;

	mutex_lock(&ropcie_mutex);
	if (client_locked(client_index(client))) {
		err = -EBUSY;
		goto unlock;
	}
	list_for_each_entry(node, &ropcie_nodes, list) {
		client_add(client, node);
		list_for_each_entry(peer, &node->peers, list)
			if (rcu_access_pointer(peer->path) && !peer->loopback)
				client_link(client, peer, true);
	}
	rcu_assign_pointer(clients[client_index(client)], client);
unlock:
	mutex_unlock(&ropcie_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ropcie_client_register);

void ropcie_client_unregister(const struct ropcie_client *client)
{
	struct ropcie_node *node;

	mutex_lock(&ropcie_mutex);
	list_for_each_entry(node, &ropcie_nodes, list)
		client_remove(client, node);
	RCU_INIT_POINTER(clients[client_index(client)], NULL);
	synchronize_net();
	mutex_unlock(&ropcie_mutex);
}
EXPORT_SYMBOL_GPL(ropcie_client_unregister);

/* ---- Packets and events ---- */

int ropcie_client_send(const struct ropcie_client *client, struct ropcie_peer *peer,
		       const void *header, struct iov_iter *payload)
{
	struct ropcie_path *path;
	int err = -ENOLINK;

	if (iov_iter_count(payload) > ROPCIE_MTU)
		return -EMSGSIZE;
	rcu_read_lock();
	path = rcu_dereference(peer->path);
	if (path)
		err = ropcie_path_send(path, client->kind,
				       ROPCIE_WAITER_CLIENT << client_index(client), header,
				       client->header_length, payload);
	rcu_read_unlock();
	return err;
}
EXPORT_SYMBOL_GPL(ropcie_client_send);

/* A peer may send what nobody here is for, or in another version: that is dropped. */
void ropcie_client_receive(struct ropcie_peer *peer, const struct ropcie_record *record)
{
	unsigned int index = record->kind - ROPCIE_KIND_TRANSPORT;
	const struct ropcie_client *client;

	if (index >= CLIENTS || !(READ_ONCE(peer->node->clients) & BIT(index)))
		return;
	rcu_read_lock();
	client = rcu_dereference(clients[index]);
	if (client && record->header_length == client->header_length &&
	    record->length <= ROPCIE_MTU)
		client->receive(peer, record->header, record->payload, record->length);
	rcu_read_unlock();
}

void ropcie_client_room(struct ropcie_peer *peer, u8 waiting)
{
	const struct ropcie_client *client;
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < CLIENTS; i++) {
		client = rcu_dereference(clients[i]);
		if (client && waiting & READ_ONCE(peer->node->clients) & BIT(i))
			client->room(peer);
	}
	rcu_read_unlock();
}

void ropcie_clients_port(struct ropcie_node *node)
{
	const struct ropcie_client *client;
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < CLIENTS; i++) {
		client = rcu_dereference(clients[i]);
		if (client && client->port && READ_ONCE(node->clients) & BIT(i))
			client->port(node);
	}
	rcu_read_unlock();
}
