/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A link is one ntb_dev with its peer (index 0): a memory window in each direction, scratchpads for
 * the handshake, and two doorbells. Its path is open from when both sides are ready until one of
 * them is lost.
 */
#ifndef ROPCIE_LINK_H
#define ROPCIE_LINK_H

#include <linux/ntb.h>
#include <linux/workqueue.h>

#include "path.h"

struct ropcie_node;
struct ropcie_peer;

enum ropcie_link_state {
	ROPCIE_LINK_OFF, /* the NTB has no link, or the window is not set up */
	ROPCIE_LINK_HELLO, /* the window is open; the peer's hello is waited for */
	ROPCIE_LINK_READY, /* both know each other; the peer's word through the window is awaited */
	ROPCIE_LINK_UP,
};

enum ropcie_doorbell {
	ROPCIE_DOORBELL_RING,	/* look at the rings */
	ROPCIE_DOORBELL_HELLO,	/* look at the scratchpads */
};

struct ropcie_link {
	struct ropcie_path	path;
	struct ntb_dev		*ntb;
	struct ropcie_node	*node;
	unsigned int		index;		/* in node->links */

	/* Windows: own memory that the peer writes, and the peer's. */
	void			*inbound;
	dma_addr_t		inbound_dma;
	u32			inbound_size;
	bool			translated;	/* the NTB may lead the peer into it */
	void			*outbound;
	u32			outbound_size;

	/* Handshake; ropcie_mutex. */
	struct delayed_work	work;
	enum ropcie_link_state	state;
	bool			removing;
	bool			broken;		/* the peer broke the protocol; any context */
	bool			said_ready;
	bool			unreachable;	/* of which there has been a message */
	u32			session;
	u32			peer_session;
	u32			epoch;
	struct ropcie_peer	*peer;		/* claimed */
	struct ropcie_window	own;
	struct ropcie_window	peers;
	unsigned long		since;		/* jiffies: of the state */
	unsigned long		nudged;
	unsigned int		failures;	/* in a row, to open the window */
	unsigned int		garbled;	/* times in a row that the peer's hello was */
	u32			beat;
	u64			peer_beat;
	unsigned long		peer_alive;	/* jiffies */
	u64			ups;
	enum ntb_speed		speed;
	enum ntb_width		width;
};

int ropcie_links_register(void);
void ropcie_links_unregister(void);

/* Mbit/s of data, 0 while there is no link. Any context. */
unsigned int ropcie_link_mbps(const struct ropcie_link *link);

/* ---- Between link.c and handshake.c ---- */

/*
 * Allocates own memory and leads the peer's window to it; takes 0.1 s on a Switchtec, and much
 * longer if another locks it. By the link's work, or when that is over.
 */
int ropcie_link_open_window(struct ropcie_link *link);
int ropcie_link_close_window(struct ropcie_link *link);
bool ropcie_link_poll_ntb(struct ropcie_link *link);
void ropcie_link_bell(struct ropcie_link *link, enum ropcie_doorbell doorbell);

void ropcie_handshake_work(struct work_struct *work);
/* Ends the epoch and the session, with which the peer sees the end of them. Under ropcie_mutex. */
void ropcie_handshake_reset(struct ropcie_link *link);
/* Any context. */
void ropcie_handshake_kick(struct ropcie_link *link);

extern bool ropcie_node_per_link;

#endif
