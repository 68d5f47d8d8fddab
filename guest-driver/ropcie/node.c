// SPDX-License-Identifier: GPL-2.0-only

#include <linux/idr.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "client.h"
#include "link.h"
#include "loopback.h"
#include "neighbour.h"
#include "netdev.h"
#include "node.h"
#include "path.h"

#define PEERS_MAX	64

DEFINE_MUTEX(ropcie_mutex);	/* see node.h */
LIST_HEAD(ropcie_nodes);
static DEFINE_IDA(node_indices);

/* ---- Peers ---- */

static struct ropcie_peer *find_peer(struct ropcie_node *node, const u8 *mac)
{
	struct ropcie_peer *peer;

	list_for_each_entry(peer, &node->peers, list)
		if (ether_addr_equal(peer->mac, mac))
			return peer;
	return NULL;
}

static void remove_peer(struct ropcie_peer *peer)
{
	list_del_rcu(&peer->list);
	ropcie_peer_put(peer);
}

static void remove_peers(struct ropcie_node *node)
{
	struct ropcie_peer *peer, *next;

	list_for_each_entry_safe(peer, next, &node->peers, list)
		remove_peer(peer);
}

/* A neighbour that has another MAC each time must not fill the memory. */
static bool forget_peer(struct ropcie_node *node)
{
	struct ropcie_peer *peer;

	list_for_each_entry(peer, &node->peers, list) {
		if (!peer->claim && !peer->loopback && kref_read(&peer->ref) == 1) {
			remove_peer(peer);
			return true;
		}
	}
	return false;
}

static struct ropcie_peer *create_peer(struct ropcie_node *node, const u8 *mac)
{
	struct ropcie_peer *peer;
	unsigned int count = 0;

	list_for_each_entry(peer, &node->peers, list)
		count++;
	if (count >= PEERS_MAX && !forget_peer(node))
		return ERR_PTR(-ENOSPC);
	peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer)
		return ERR_PTR(-ENOMEM);
	kref_init(&peer->ref);
	spin_lock_init(&peer->heard_lock);
	peer->node = node;
	peer->loopback = ether_addr_equal(mac, node->mac);
	ether_addr_copy(peer->mac, mac);
	list_add_tail_rcu(&peer->list, &node->peers);
	return peer;
}

int ropcie_node_claim(struct ropcie_node *node, struct ropcie_link *link, const u8 *mac,
		      struct ropcie_peer **found)
{
	struct ropcie_peer *peer = find_peer(node, mac);

	if (peer && peer->loopback)
		return -EADDRINUSE;
	if (peer && peer->claim && peer->claim != link)
		return -EBUSY;
	if (!peer)
		peer = create_peer(node, mac);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	peer->claim = link;
	peer->queue = link ? link->index : 0;
	*found = peer;
	return 0;
}

void ropcie_node_unclaim(struct ropcie_peer *peer)
{
	peer->claim = NULL;
}

static void update_carrier(struct ropcie_node *node)
{
	struct ropcie_peer *peer;

	list_for_each_entry(peer, &node->peers, list) {
		if (rcu_access_pointer(peer->path) && !peer->loopback) {
			netif_carrier_on(node->netdev);
			return;
		}
	}
	netif_carrier_off(node->netdev);
}

void ropcie_node_attach(struct ropcie_peer *peer, struct ropcie_path *path)
{
	struct ropcie_node *node = peer->node;

	if (!++node->epochs)
		node->epochs = 1;
	WRITE_ONCE(peer->epoch, node->epochs);
	rcu_assign_pointer(peer->path, path);
	if (peer->loopback) {
		ropcie_path_start(path);
		return;
	}
	netdev_info(node->netdev, "link to %pM is up\n", peer->mac);
	update_carrier(node);
	ropcie_clients_link(peer, true);
	ropcie_clients_port(node);
	ropcie_path_start(path);
	ropcie_netdev_room(peer);
	ropcie_neighbours_tell(node);
}

void ropcie_node_detach(struct ropcie_peer *peer)
{
	struct ropcie_path *path =
		rcu_dereference_protected(peer->path, lockdep_is_held(&ropcie_mutex));

	RCU_INIT_POINTER(peer->path, NULL);
	WRITE_ONCE(peer->epoch, 0);
	ropcie_path_close(path);
	if (peer->loopback)
		return;
	netdev_info(peer->node->netdev, "link to %pM is down\n", peer->mac);
	update_carrier(peer->node);
	/* Frames that wait for room are dropped by who tries to send them. */
	ropcie_netdev_room(peer);
	ropcie_clients_link(peer, false);
	ropcie_clients_port(peer->node);
}

/* ---- Links ---- */

int ropcie_node_add_link(struct ropcie_node *node, struct ropcie_link *link)
{
	unsigned int i;
	int err = -ENOSPC;

	rtnl_lock();
	for (i = 0; i < ROPCIE_LINKS_MAX; i++)
		if (!node->links[i])
			break;
	if (i < ROPCIE_LINKS_MAX) {
		err = 0;
		if (i >= node->netdev->real_num_tx_queues)
			err = netif_set_real_num_tx_queues(node->netdev, i + 1);
	}
	if (!err) {
		link->index = i;
		link->node = node;
		node->links[i] = link;
	}
	rtnl_unlock();
	return err;
}

void ropcie_node_remove_link(struct ropcie_node *node, struct ropcie_link *link)
{
	rtnl_lock();
	node->links[link->index] = NULL;
	link->node = NULL;
	rtnl_unlock();
}

bool ropcie_node_is_only_link(const struct ropcie_node *node, const struct ropcie_link *link)
{
	unsigned int i;

	for (i = 0; i < ROPCIE_LINKS_MAX; i++)
		if (node->links[i] && node->links[i] != link)
			return false;
	return true;
}

/* ---- Life ---- */

struct ropcie_node *ropcie_node_create(struct device *parent)
{
	struct ropcie_node *node;
	int err;

	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&node->peers);
	ropcie_neighbours_init(node);
	node->parent = get_device(parent);
	ropcie_node_identity(parent, ropcie_node_per_link, node->mac);
	err = ida_alloc(&node_indices, GFP_KERNEL);
	if (err < 0)
		goto free;
	node->index = err;

	err = ropcie_netdev_create(node);
	if (err)
		goto free_index;
	err = ropcie_loopback_create(node);
	if (err)
		goto destroy_netdev;
	err = ropcie_netdev_register(node);
	if (err)
		goto destroy_loopback;
	list_add_tail(&node->list, &ropcie_nodes);
	ropcie_clients_add(node);
	return node;

destroy_loopback:
	ropcie_loopback_destroy(node);
destroy_netdev:
	remove_peers(node);
	ropcie_netdev_destroy(node);
free_index:
	ida_free(&node_indices, node->index);
free:
	put_device(parent);
	kfree(node);
	return ERR_PTR(err);
}

void ropcie_node_destroy(struct ropcie_node *node)
{
	list_del(&node->list);
	ropcie_clients_remove(node);
	ropcie_netdev_unregister(node);
	ropcie_neighbours_exit(node);
	ropcie_loopback_destroy(node);
	remove_peers(node);
	/* Peers point to their node. */
	rcu_barrier();
	ropcie_netdev_destroy(node);
	ida_free(&node_indices, node->index);
	put_device(node->parent);
	kfree(node);
}
