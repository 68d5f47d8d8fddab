/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path leads to one peer: a pair of rings in either direction, polled by NAPI. A link has one
 * over its windows, the loopback one in plain memory.
 *
 *	ropcie_path_init(&path, node, bell, broken);
 *	ropcie_path_open(&path, peer, &own, &peers, epoch);	// may send
 *	ropcie_path_start(&path);				// receives
 *	ropcie_path_close(&path);				// neither, and nobody is in it
 *	ropcie_path_exit(&path);
 */
#ifndef ROPCIE_PATH_H
#define ROPCIE_PATH_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>

#include "ring.h"

struct ropcie_node;
struct ropcie_peer;

/* Who can wait for room: bits of ropcie_tx.waiting. Clients follow from ROPCIE_WAITER_CLIENT on. */
#define ROPCIE_WAITER_NETDEV	BIT(0)
#define ROPCIE_WAITER_CLIENT	BIT(1)

struct ropcie_path_counters {
	u64		bells_received;
	atomic64_t	bells_sent;
	u64		polls;
	u64		found_early;	/* by the timer, while a write may be underway: no fault */
	u64		found_late;	/* by the timer, later: a doorbell was late or lost */
	u64		nonsense;	/* times that the peer broke the protocol */
};

struct ropcie_path {
	struct ropcie_node	*node;
	struct ropcie_peer	*peer;		/* while open */
	struct ropcie_tx	tx[ROPCIE_RINGS];
	struct ropcie_rx	rx[ROPCIE_RINGS];
	struct napi_struct	napi;
	bool			receiving;
	bool			stuck;		/* the peer broke the protocol: receives no more */
	struct hrtimer		timer;
	u64			interval;	/* ns; the timer's own */
	/* Any context. bell rings at the peer. */
	void			(*bell)(struct ropcie_path *path);
	void			(*broken)(struct ropcie_path *path);
	struct ropcie_path_counters	count;
};

void ropcie_path_init(struct ropcie_path *path, struct ropcie_node *node,
		      void (*bell)(struct ropcie_path *path),
		      void (*broken)(struct ropcie_path *path));
void ropcie_path_exit(struct ropcie_path *path);

int ropcie_path_open(struct ropcie_path *path, struct ropcie_peer *peer,
		     const struct ropcie_window *own, const struct ropcie_window *peers, u32 epoch);
void ropcie_path_start(struct ropcie_path *path);
void ropcie_path_close(struct ropcie_path *path);

/* The peer has rung. Any context. */
void ropcie_path_rung(struct ropcie_path *path);

/* Within rcu_read_lock(), any context. 0, -EAGAIN, -ENOLINK, -EMSGSIZE, -EFAULT. */
int ropcie_path_send(struct ropcie_path *path, enum ropcie_kind kind, u8 waiter, const void *header,
		     u32 header_length, struct iov_iter *payload);
int ropcie_path_send_frame(struct ropcie_path *path, const struct sk_buff *skb);

#endif
