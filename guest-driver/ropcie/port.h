/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seam between the transport (ib_device, queue pairs) and what carries its packets (links, loopback).
 *
 *	peer = ropcie_peer_by_mac(node, dmac);
 *	if (!peer)
 *		return -EHOSTUNREACH;
 *	err = ropcie_peer_send(peer, &header, &iter);	// 0, -EAGAIN, -ENOLINK
 *	ropcie_peer_put(peer);
 *
 * One packet is a header and a payload, whole or not at all. Packets to one peer arrive in order, and none is
 * lost while the peer's epoch lasts.
 */
#ifndef ROPCIE_PORT_H
#define ROPCIE_PORT_H

#include <linux/types.h>

struct device;
struct iov_iter;
struct net_device;
struct ropcie_header;
struct ropcie_node;
struct ropcie_peer;

/* The most payload of one packet, in bytes. */
#define ROPCIE_MTU		4096

/* sizeof(struct ropcie_header) is a multiple of 8 and at most this. */
#define ROPCIE_HEADER_MAX	128

/* ---- Peers. Any context. ---- */

/*
 * The peer that has this MAC: a remote node, or for the node's own MAC the loopback peer. NULL: nobody has it.
 * A peer that has once been seen stays known while its link is down, so that this finds it, then, too. The
 * caller gets a reference.
 */
struct ropcie_peer *ropcie_peer_by_mac(struct ropcie_node *node, const u8 *mac);
void ropcie_peer_get(struct ropcie_peer *peer);
void ropcie_peer_put(struct ropcie_peer *peer);

/* Each peer of the node, the loopback peer included, that is up; under rcu_read_lock() of the callee. */
void ropcie_for_each_peer(struct ropcie_node *node,
			  void (*visit)(struct ropcie_peer *peer, void *context), void *context);

struct ropcie_node *ropcie_peer_node(const struct ropcie_peer *peer);
const u8 *ropcie_peer_mac(const struct ropcie_peer *peer);	/* 6 bytes, never change */
bool ropcie_peer_is_loopback(const struct ropcie_peer *peer);

/*
 * 0: taken; header and payload have been copied, the iterator is used up.
 * -EAGAIN: no room now; ropcie_transport_room(peer) will be called when there is. The iterator is as it was.
 * -ENOLINK: the link is down, the epoch has ended.
 * -EMSGSIZE: more than ROPCIE_MTU bytes. -EFAULT: the iterator could not be read; nothing was sent.
 */
int ropcie_peer_send(struct ropcie_peer *peer, const struct ropcie_header *header,
		     struct iov_iter *payload);

/* Changes whenever the peer or the link to it has restarted; 0 while the link is down. */
u32 ropcie_peer_epoch(const struct ropcie_peer *peer);

/* ---- Nodes. What the ib_device is made of; none changes while the transport is added. ---- */

struct net_device *ropcie_node_netdev(const struct ropcie_node *node);
struct device *ropcie_node_parent(const struct ropcie_node *node);	/* of the netdev, too */
u64 ropcie_node_guid(const struct ropcie_node *node);	/* EUI-64 of the MAC, host order; not 0 */
unsigned int ropcie_node_index(const struct ropcie_node *node);
unsigned int ropcie_node_mbps(const struct ropcie_node *node);	/* of the fastest link that is up, or 0 */

/* The transport's own of this node: set by ropcie_transport_add(). */
void *ropcie_node_transport(const struct ropcie_node *node);
void ropcie_node_set_transport(struct ropcie_node *node, void *transport);

/* ---- What the transport provides, and the port calls. ---- */

/*
 * Process context, may sleep. add: the node's netdev is registered; a failure leaves a node without an
 * ib_device. remove: link() is not called any more; receive() and room() may be until it returns, and just after.
 */
int ropcie_transport_add(struct ropcie_node *node);
void ropcie_transport_remove(struct ropcie_node *node);

/*
 * softirq. The header has been copied out of memory that the peer can write, the payload has not: read each
 * byte once. It is gone on return. length <= ROPCIE_MTU. One call at a time per peer.
 */
void ropcie_transport_receive(struct ropcie_peer *from, const struct ropcie_header *header,
			      const void *payload, size_t length);

/* softirq: after -EAGAIN, once. */
void ropcie_transport_room(struct ropcie_peer *peer);

/*
 * Process context. up: ropcie_peer_epoch() is a new one. !up: nothing of the old epoch is received after
 * this returns. Strictly up, down, up, ...; the loopback peer has been up since before add, and has no call.
 */
void ropcie_transport_link(struct ropcie_peer *peer, bool up);

/* Any context, also while it is removed: the netdev's carrier, or whether it is up, may have changed. */
void ropcie_transport_port(struct ropcie_node *node);

#endif
