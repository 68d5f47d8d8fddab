/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How bytes get into a peer's memory. By the CPU: stores into a write-combining mapping of the
 * window, pushed out by a store fence before the word that makes them valid. All are done when the
 * function returns.
 *
 *	ropcie_copy_bytes(slot->body, header, length);
 *	if (!ropcie_copy_iter(payload, length, &iter))
 *		...
 *	ropcie_copy_publish(&slot->valid, word);
 *
 * A DMA engine fits in behind the same steps: what is between the reservation of a slot and its
 * publication (ring.h) may take as long as it likes.
 */
#ifndef ROPCIE_COPY_H
#define ROPCIE_COPY_H

#include <linux/types.h>

struct iov_iter;
struct sk_buff;

void ropcie_copy_bytes(void *to, const void *from, size_t length);

/* false: not all of it could be read. The iterator has then been advanced all the same. */
bool ropcie_copy_iter(void *to, size_t length, struct iov_iter *from);
bool ropcie_copy_skb(void *to, const struct sk_buff *skb);

/*
 * What was copied before is in the peer's memory before *to is, and *to is on its way. Then a full
 * barrier.
 */
void ropcie_copy_publish(__le64 *to, u64 word);

#endif
