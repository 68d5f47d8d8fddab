// SPDX-License-Identifier: GPL-2.0-only

#include <linux/align.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "copy.h"
#include "ring.h"

static_assert(ROPCIE_HEADER_MAX < ROPCIE_SLOT_BODY);

void ropcie_ring_layout(u32 usable, enum ropcie_ring ring, struct ropcie_layout *layout)
{
	u32 area = ALIGN_DOWN((usable - ROPCIE_CONTROL_SIZE) / ROPCIE_RINGS, 4096);

	layout->slots = rounddown_pow_of_two(area / 8 / ROPCIE_SLOT_SIZE);
	layout->slots_at = ROPCIE_CONTROL_SIZE + ring * area;
	layout->data_at = layout->slots_at + layout->slots * ROPCIE_SLOT_SIZE;
	layout->data = area - layout->slots * ROPCIE_SLOT_SIZE;
}

/* Is target one of the indices after `old` up to `new`? */
static bool passed(u32 target, u32 old, u32 new)
{
	return (u32)(new - target) < (u32)(new - old);
}

/* A word that the peer writes, in own memory: read once. false: none of this epoch. */
static bool read_word(const __le64 *word, u32 epoch, u32 *value)
{
	u64 all = le64_to_cpu(READ_ONCE(*word));

	*value = lower_32_bits(all);
	return upper_32_bits(all) == epoch;
}

static struct ropcie_ring_control *ring_control(const struct ropcie_window *window,
						enum ropcie_ring ring)
{
	return &((struct ropcie_control *)window->memory)->ring[ring];
}

/* ---- Producer ---- */

int ropcie_tx_open(struct ropcie_tx *tx, const struct ropcie_window *own,
		   const struct ropcie_window *peer, enum ropcie_ring ring, u32 epoch)
{
	struct ropcie_layout layout;
	u32 *used;

	ropcie_ring_layout(peer->usable, ring, &layout);
	used = kcalloc(layout.slots, sizeof(*used), GFP_KERNEL);
	if (!used)
		return -ENOMEM;

	spin_lock_irq(&tx->lock);
	tx->used = used;
	tx->slots = peer->memory + layout.slots_at;
	tx->data = peer->memory + layout.data_at;
	tx->peer = ring_control(peer, ring);
	tx->own = ring_control(own, ring);
	tx->mask = layout.slots - 1;
	tx->data_size = layout.data;
	tx->data_free = layout.data;
	tx->data_head = 0;
	tx->head = 0;
	tx->tail = 0;
	tx->room = 0;
	tx->waiting = 0;
	tx->epoch = epoch;
	tx->open = true;
	spin_unlock_irq(&tx->lock);
	return 0;
}

void ropcie_tx_close(struct ropcie_tx *tx)
{
	spin_lock_irq(&tx->lock);
	tx->open = false;
	tx->waiting = 0;
	spin_unlock_irq(&tx->lock);
}

void ropcie_tx_free(struct ropcie_tx *tx)
{
	kfree(tx->used);
	tx->used = NULL;
}

/* Takes back what the peer has consumed. false: it says to have consumed what it has not got. */
static bool tx_reap(struct ropcie_tx *tx)
{
	u32 consumed;

	if (!read_word(&tx->own->consumed, tx->epoch, &consumed))
		return true;
	if ((u32)(consumed - tx->tail) > (u32)(tx->head - tx->tail))
		return false;
	while (tx->tail != consumed)
		tx->data_free += tx->used[tx->tail++ & tx->mask];
	if (tx->tail == tx->head)
		tx->data_head = 0;
	return true;
}

/*
 * What a payload takes of the data area: it lies in one piece, so that the end of the area may be
 * left out.
 */
static u32 tx_share(const struct ropcie_tx *tx, u32 need)
{
	u32 rest = tx->data_size - tx->data_head;

	return need > rest ? rest + need : need;
}

static bool tx_fits(const struct ropcie_tx *tx, u32 need)
{
	return (u32)(tx->head - tx->tail) <= tx->mask && tx_share(tx, need) <= tx->data_free;
}

/*
 * Asks the peer to ring when half of what is underway has been consumed. Then looks again: what it
 * consumed before it could see the request, it does not ring for.
 */
static int tx_wait(struct ropcie_tx *tx, u32 need, u8 waiter)
{
	do {
		if ((s32)(tx->room - tx->tail) <= 0) {
			tx->room = tx->tail + max(1U, (tx->head - tx->tail) / 2);
			ropcie_copy_publish(&tx->peer->room, ropcie_word(tx->epoch, tx->room));
		}
		if (!tx_reap(tx))
			return -EPROTO;
		if (tx_fits(tx, need))
			return 0;
	} while ((s32)(tx->room - tx->tail) <= 0);
	tx->waiting |= waiter;
	tx->full++;
	return -EAGAIN;
}

static int tx_take(struct ropcie_tx *tx, u32 need, u8 waiter, struct ropcie_place *place)
{
	u32 share;
	int err;

	if (!tx->open)
		return -ENOLINK;
	if (need > tx->data_size)
		return -EMSGSIZE;
	if (!tx_fits(tx, need)) {
		if (!tx_reap(tx))
			return -EPROTO;
		if (!tx_fits(tx, need)) {
			err = tx_wait(tx, need, waiter);
			if (err)
				return err;
		}
	}
	share = tx_share(tx, need);
	if (need > tx->data_size - tx->data_head)
		tx->data_head = 0;
	place->index = tx->head++;
	place->offset = tx->data_head;
	tx->used[place->index & tx->mask] = share;
	tx->data_free -= share;
	tx->data_head += need;
	tx->packets++;
	tx->bytes += place->length;
	return 0;
}

int ropcie_tx_reserve(struct ropcie_tx *tx, u32 header_length, u32 length, u8 waiter,
		      struct ropcie_place *place)
{
	bool in_slot = header_length + length <= ROPCIE_SLOT_BODY;
	unsigned long flags;
	int err;

	place->length = length;
	place->header_length = header_length;
	place->flags = in_slot ? ROPCIE_SLOT_INLINE : 0;

	spin_lock_irqsave(&tx->lock, flags);
	err = tx_take(tx, in_slot ? 0 : ALIGN(length, ROPCIE_DATA_ALIGN), waiter, place);
	if (err == -EPROTO)
		tx->open = false;
	spin_unlock_irqrestore(&tx->lock, flags);
	if (err)
		return err;

	place->slot = &tx->slots[place->index & tx->mask];
	place->header = place->slot->body;
	place->payload = in_slot ? place->slot->body + header_length : tx->data + place->offset;
	return 0;
}

bool ropcie_tx_commit(struct ropcie_tx *tx, const struct ropcie_place *place, enum ropcie_kind kind,
		      u8 flags, u32 detail)
{
	struct ropcie_slot head = {
		.length = cpu_to_le32(place->length),
		.offset = cpu_to_le32(place->flags & ROPCIE_SLOT_INLINE ? 0 : place->offset),
		.kind = kind,
		.flags = place->flags | flags,
		.header_length = cpu_to_le16(place->header_length),
		.detail = cpu_to_le32(detail),
	};
	u32 event;

	ropcie_copy_bytes(&place->slot->length, &head.length,
			  offsetof(struct ropcie_slot, body) -
				  offsetof(struct ropcie_slot, length));
	ropcie_copy_publish(&place->slot->valid, ropcie_word(tx->epoch, place->index + 1));
	/* The peer sleeps from the beginning; an event of an older epoch is none. */
	return !read_word(&tx->own->event, tx->epoch, &event) || event == place->index;
}

bool ropcie_tx_has_room(const struct ropcie_tx *tx)
{
	u32 consumed;

	return READ_ONCE(tx->waiting) && read_word(&tx->own->consumed, tx->epoch, &consumed) &&
	       (s32)(consumed - READ_ONCE(tx->room)) >= 0;
}

u8 ropcie_tx_poll(struct ropcie_tx *tx)
{
	unsigned long flags;
	u8 waiting = 0;

	if (!READ_ONCE(tx->waiting))
		return 0;
	spin_lock_irqsave(&tx->lock, flags);
	/* Nonsense is found again by who tries to send. */
	if (tx->open && (!tx_reap(tx) || tx->tail == tx->head || (s32)(tx->tail - tx->room) >= 0)) {
		waiting = tx->waiting;
		tx->waiting = 0;
	}
	spin_unlock_irqrestore(&tx->lock, flags);
	return waiting;
}

/* ---- Consumer ---- */

void ropcie_rx_open(struct ropcie_rx *rx, const struct ropcie_window *own,
		    const struct ropcie_window *peer, enum ropcie_ring ring, u32 epoch)
{
	struct ropcie_layout layout;

	ropcie_ring_layout(own->usable, ring, &layout);
	rx->slots = own->memory + layout.slots_at;
	rx->data = own->memory + layout.data_at;
	rx->own = ring_control(own, ring);
	rx->peer = ring_control(peer, ring);
	rx->mask = layout.slots - 1;
	rx->data_size = layout.data;
	rx->next = 0;
	rx->credited = 0;
	rx->held = 0;
	rx->event_set = false;
	rx->epoch = epoch;
}

bool ropcie_rx_pending(const struct ropcie_rx *rx)
{
	u64 valid = le64_to_cpu(READ_ONCE(rx->slots[rx->next & rx->mask].valid));

	return valid == ropcie_word(rx->epoch, rx->next + 1);
}

int ropcie_rx_take(struct ropcie_rx *rx, struct ropcie_record *record)
{
	const struct ropcie_slot *slot = &rx->slots[rx->next & rx->mask];
	u32 offset;

	if (!ropcie_rx_pending(rx))
		return 0;
	dma_rmb();
	record->kind = READ_ONCE(slot->kind);
	record->flags = READ_ONCE(slot->flags);
	record->length = le32_to_cpu(READ_ONCE(slot->length));
	record->detail = le32_to_cpu(READ_ONCE(slot->detail));
	record->header_length = le16_to_cpu(READ_ONCE(slot->header_length));
	offset = le32_to_cpu(READ_ONCE(slot->offset));

	if (record->header_length > ROPCIE_HEADER_MAX)
		return -EPROTO;
	if (record->flags & ROPCIE_SLOT_INLINE) {
		if (record->length > ROPCIE_SLOT_BODY - record->header_length)
			return -EPROTO;
		record->payload = slot->body + record->header_length;
	} else {
		if (offset % ROPCIE_DATA_ALIGN || offset > rx->data_size ||
		    record->length > rx->data_size - offset)
			return -EPROTO;
		record->payload = rx->data + offset;
	}
	memcpy(record->header, slot->body, record->header_length);
	return 1;
}

bool ropcie_rx_done(struct ropcie_rx *rx, const struct ropcie_record *record)
{
	rx->next++;
	rx->packets++;
	rx->bytes += record->length;
	if (!(record->flags & ROPCIE_SLOT_INLINE))
		rx->held += record->length;
	return (u32)(rx->next - rx->credited) > rx->mask / 4 || rx->held > rx->data_size / 4;
}

bool ropcie_rx_credit(struct ropcie_rx *rx)
{
	u32 old = rx->credited;
	u32 room;

	if (old == rx->next)
		return false;
	rx->credited = rx->next;
	rx->held = 0;
	ropcie_copy_publish(&rx->peer->consumed, ropcie_word(rx->epoch, rx->next));
	return read_word(&rx->own->room, rx->epoch, &room) && passed(room, old, rx->next);
}

bool ropcie_rx_sleep(struct ropcie_rx *rx)
{
	if (!rx->event_set || rx->event != rx->next) {
		rx->event = rx->next;
		rx->event_set = true;
		ropcie_copy_publish(&rx->peer->event, ropcie_word(rx->epoch, rx->event));
	}
	return ropcie_rx_pending(rx);
}
