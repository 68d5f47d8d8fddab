// SPDX-License-Identifier: GPL-2.0-only
/* What port.h offers about peers and nodes. */

#include <linux/export.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "link.h"
#include "node.h"
#include "path.h"
#include "port.h"

struct ropcie_peer *ropcie_peer_by_mac(struct ropcie_node *node, const u8 *mac)
{
	struct ropcie_peer *peer;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &node->peers, list) {
		if (ether_addr_equal(peer->mac, mac) && kref_get_unless_zero(&peer->ref)) {
			rcu_read_unlock();
			return peer;
		}
	}
	rcu_read_unlock();
	return NULL;
}
EXPORT_SYMBOL_GPL(ropcie_peer_by_mac);

void ropcie_peer_get(struct ropcie_peer *peer)
{
	kref_get(&peer->ref);
}
EXPORT_SYMBOL_GPL(ropcie_peer_get);

static void peer_release(struct kref *ref)
{
	struct ropcie_peer *peer = container_of(ref, struct ropcie_peer, ref);

	kfree_rcu(peer, rcu);
}

void ropcie_peer_put(struct ropcie_peer *peer)
{
	kref_put(&peer->ref, peer_release);
}
EXPORT_SYMBOL_GPL(ropcie_peer_put);

void ropcie_for_each_peer(struct ropcie_node *node,
			  void (*visit)(struct ropcie_peer *peer, void *context), void *context)
{
	struct ropcie_peer *peer;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &node->peers, list)
		if (rcu_access_pointer(peer->path))
			visit(peer, context);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(ropcie_for_each_peer);

struct ropcie_node *ropcie_peer_node(const struct ropcie_peer *peer)
{
	return peer->node;
}
EXPORT_SYMBOL_GPL(ropcie_peer_node);

const u8 *ropcie_peer_mac(const struct ropcie_peer *peer)
{
	return peer->mac;
}
EXPORT_SYMBOL_GPL(ropcie_peer_mac);

bool ropcie_peer_is_loopback(const struct ropcie_peer *peer)
{
	return peer->loopback;
}
EXPORT_SYMBOL_GPL(ropcie_peer_is_loopback);

u32 ropcie_peer_epoch(const struct ropcie_peer *peer)
{
	return READ_ONCE(peer->epoch);
}
EXPORT_SYMBOL_GPL(ropcie_peer_epoch);

struct net_device *ropcie_node_netdev(const struct ropcie_node *node)
{
	return node->netdev;
}
EXPORT_SYMBOL_GPL(ropcie_node_netdev);

struct device *ropcie_node_parent(const struct ropcie_node *node)
{
	return node->parent;
}

u64 ropcie_node_guid(const struct ropcie_node *node)
{
	const u8 *mac = node->mac;

	return (u64)(mac[0] ^ 2) << 56 | (u64)mac[1] << 48 | (u64)mac[2] << 40 | 0xfffeULL << 24 |
	       (u64)mac[3] << 16 | (u64)mac[4] << 8 | mac[5];
}

unsigned int ropcie_node_index(const struct ropcie_node *node)
{
	return node->index;
}

unsigned int ropcie_node_mbps(const struct ropcie_node *node)
{
	unsigned int fastest = 0;
	struct ropcie_link *link;
	unsigned int i;

	/* A link is freed after RCU readers are through (netif_napi_del()). */
	rcu_read_lock();
	for (i = 0; i < ROPCIE_LINKS_MAX; i++) {
		link = READ_ONCE(node->links[i]);
		if (link)
			fastest = max(fastest, ropcie_link_mbps(link));
	}
	rcu_read_unlock();
	return fastest;
}

void *ropcie_node_transport(const struct ropcie_node *node)
{
	return node->transport;
}

void ropcie_node_set_transport(struct ropcie_node *node, void *transport)
{
	node->transport = transport;
}
