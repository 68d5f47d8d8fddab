/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One ring in one direction: slots of fixed size in the consumer's memory, and beside them a data
 * area for payloads that do not fit into a slot. Nothing here knows what a ring carries, nor waits
 * or wakes: path.c does.
 *
 * Producer:
 *	err = ropcie_tx_reserve(tx, header_length, length, waiter, &place);
 *	... copy to place.header and place.payload ...
 *	if (ropcie_tx_commit(tx, &place, kind, flags, detail))
 *		ring the doorbell;
 * Consumer:
 *	while ((err = ropcie_rx_take(rx, &record)) > 0) {
 *		... record.header is a copy, record.payload is not ...
 *		ropcie_rx_done(rx, &record);
 *	}
 *	if (ropcie_rx_credit(rx))
 *		ring the doorbell;
 */
#ifndef ROPCIE_RING_H
#define ROPCIE_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "port.h"
#include "wire.h"

/* Windows smaller than this have no room for two frames of the largest MTU. */
#define ROPCIE_WINDOW_MIN	(512 * 1024)
#define ROPCIE_WINDOW_MAX	(64 * 1024 * 1024)

struct ropcie_layout {
	u32	slots;		/* a power of two */
	u32	data;		/* bytes */
	u32	slots_at;	/* in the window */
	u32	data_at;
};

/* Of a window of which `usable` bytes (ROPCIE_WINDOW_MIN to _MAX) can be reached by the peer. */
void ropcie_ring_layout(u32 usable, enum ropcie_ring ring, struct ropcie_layout *layout);

/* A window with its rings, as both sides of a path see it: the own one, or the peer's. */
struct ropcie_window {
	void	*memory;
	u32	usable;
};

struct ropcie_tx {
	spinlock_t	lock;		/* all below; taken in any context */
	bool		open;
	u8		waiting;	/* bits of who is to be told of room */
	u32		epoch;
	u32		mask;
	u32		head;		/* slots reserved, */
	u32		tail;		/* and consumed */
	u32		room;		/* the peer rings when that many slots have been consumed */
	u32		data_size;
	u32		data_head;
	u32		data_free;
	u32		*used;		/* bytes of the data area that each slot holds */
	struct ropcie_slot		*slots;		/* the peer's */
	void				*data;
	struct ropcie_ring_control	*peer;
	const struct ropcie_ring_control	*own;
	u64		packets;
	u64		bytes;
	u64		full;
};

struct ropcie_place {
	struct ropcie_slot	*slot;
	void			*header;
	void			*payload;
	u32			index;
	u32			offset;
	u32			length;
	u16			header_length;
	u8			flags;
};

int ropcie_tx_open(struct ropcie_tx *tx, const struct ropcie_window *own,
		   const struct ropcie_window *peer, enum ropcie_ring ring, u32 epoch);
/*
 * No reservation after this; those that there are may still be committed until RCU readers are
 * through.
 */
void ropcie_tx_close(struct ropcie_tx *tx);
/* After ropcie_tx_close() and synchronize_rcu(). */
void ropcie_tx_free(struct ropcie_tx *tx);

/*
 * Any context, within rcu_read_lock() up to the commit. -EAGAIN: ropcie_tx_poll() will return the
 * bit `waiter`. -ENOLINK: closed. -EMSGSIZE: never. -EPROTO: the peer has written nonsense; the
 * ring is closed.
 */
int ropcie_tx_reserve(struct ropcie_tx *tx, u32 header_length, u32 length, u8 waiter,
		      struct ropcie_place *place);
/* true: the peer sleeps and is to be rung. */
bool ropcie_tx_commit(struct ropcie_tx *tx, const struct ropcie_place *place, enum ropcie_kind kind,
		      u8 flags, u32 detail);
/* Does somebody wait who need not any more? Without the lock. */
bool ropcie_tx_has_room(const struct ropcie_tx *tx);
/* Who waited and now has room. */
u8 ropcie_tx_poll(struct ropcie_tx *tx);

struct ropcie_rx {
	u32		epoch;
	u32		mask;
	u32		next;
	u32		credited;
	u32		held;		/* bytes of the data area consumed since */
	u32		data_size;
	u32		event;		/* as last written */
	bool		event_set;
	const struct ropcie_slot	*slots;
	const void			*data;
	const struct ropcie_ring_control	*own;
	struct ropcie_ring_control	*peer;
	u64		packets;
	u64		bytes;
};

struct ropcie_record {
	enum ropcie_kind	kind;
	u8			flags;
	u16			header_length;
	u32			detail;
	u32			length;
	const void		*payload;	/* the peer can still write it */
	u8			header[ROPCIE_HEADER_MAX] __aligned(8);
};

void ropcie_rx_open(struct ropcie_rx *rx, const struct ropcie_window *own,
		    const struct ropcie_window *peer, enum ropcie_ring ring, u32 epoch);
bool ropcie_rx_pending(const struct ropcie_rx *rx);
/* 1: taken, 0: there is none, -EPROTO: the peer has written nonsense. */
int ropcie_rx_take(struct ropcie_rx *rx, struct ropcie_record *record);
/* true: so much has been consumed that it is to be credited now. */
bool ropcie_rx_done(struct ropcie_rx *rx, const struct ropcie_record *record);
/* true: the peer waits for room and is to be rung. */
bool ropcie_rx_credit(struct ropcie_rx *rx);
/* Tells the peer to ring for the next slot. true: it is there already. */
bool ropcie_rx_sleep(struct ropcie_rx *rx);

#endif
