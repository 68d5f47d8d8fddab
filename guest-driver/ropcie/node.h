/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node is what this host looks like to its peers: one network device, and one ib_device, over all
 * NTB links (or one for each, by the parameter node_per_link). A peer is another node, found by its
 * MAC; the loopback peer is the node itself.
 */
#ifndef ROPCIE_NODE_H
#define ROPCIE_NODE_H

#include <linux/etherdevice.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "port.h"
#include "wire.h"

struct ropcie_link;
struct ropcie_loopback;
struct ropcie_path;

#define ROPCIE_LINKS_MAX	32	/* of one node */

/* What a peer has told of its IP addresses. */
struct ropcie_heard {
	unsigned int	ipv4;
	unsigned int	ipv6;
	u8		address4[ROPCIE_ADDRESSES_MAX][4];
	u8		address6[ROPCIE_ADDRESSES_MAX][16];
};

struct ropcie_peer {
	struct kref		ref;
	struct rcu_head		rcu;
	struct list_head	list;		/* of the node; ropcie_mutex, RCU */
	struct ropcie_node	*node;
	struct ropcie_path __rcu	*path;	/* NULL while it cannot be reached */
	struct ropcie_link	*claim;		/* that leads, or soon will, to it */
	u32			epoch;
	unsigned int		queue;		/* of the network device */
	bool			loopback;
	u8			mac[ETH_ALEN];
	spinlock_t		heard_lock;
	struct ropcie_heard	heard;		/* under heard_lock */
	struct ropcie_heard	known;		/* made neighbours; neighbour_work only */
};

struct ropcie_node {
	struct list_head	list;
	unsigned int		index;
	struct device		*parent;
	struct net_device	*netdev;
	struct list_head	peers;
	struct ropcie_link	*links[ROPCIE_LINKS_MAX];	/* ropcie_mutex and RTNL */
	struct ropcie_loopback	*loopback;
	void			*transport;
	u32			epochs;
	u8			clients;	/* bits of those that have been added */
	struct delayed_work	address_work;	/* tells the peers the own addresses */
	struct work_struct	neighbour_work;	/* makes neighbours of theirs */
	struct ropcie_heard	heard;		/* of neighbour_work only */
	u8			mac[ETH_ALEN];
};

/*
 * Nodes, links, peers' paths and clients change under this one; it may be held for as long as a
 * window takes.
 */
extern struct mutex ropcie_mutex;
extern struct list_head ropcie_nodes;
extern struct workqueue_struct *ropcie_workqueue;

/* Under ropcie_mutex. A node lives as long as it has links. */
struct ropcie_node *ropcie_node_create(struct device *parent);
void ropcie_node_destroy(struct ropcie_node *node);
struct ropcie_node *ropcie_node_of(struct net_device *netdev);

int ropcie_node_add_link(struct ropcie_node *node, struct ropcie_link *link);
void ropcie_node_remove_link(struct ropcie_node *node, struct ropcie_link *link);
bool ropcie_node_is_only_link(const struct ropcie_node *node, const struct ropcie_link *link);

/*
 * The link has found the node `mac` at its other end. -EBUSY: another link leads there,
 * -EADDRINUSE: it says to be this node, -ENOSPC: too many peers.
 */
int ropcie_node_claim(struct ropcie_node *node, struct ropcie_link *link, const u8 *mac,
		      struct ropcie_peer **peer);
void ropcie_node_unclaim(struct ropcie_peer *peer);
/*
 * The path to the peer is open for sending; it is opened for receiving here, when all have been
 * told.
 */
void ropcie_node_attach(struct ropcie_peer *peer, struct ropcie_path *path);
/* The path is closed here. */
void ropcie_node_detach(struct ropcie_peer *peer);

/* The deterministic MAC of this host's node with that parent. */
void ropcie_node_identity(struct device *parent, bool per_link, u8 *mac);

#endif
