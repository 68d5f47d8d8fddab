// SPDX-License-Identifier: GPL-2.0-only

#include <linux/skbuff.h>
#include <linux/uio.h>

#include "compat.h"
#include "copy.h"

void ropcie_copy_bytes(void *to, const void *from, size_t length)
{
	memcpy(to, from, length);
}

bool ropcie_copy_iter(void *to, size_t length, struct iov_iter *from)
{
	/*
	 * Not copy_from_iter(): for an address of vmalloc or a window, hardened usercopy takes a lock
	 * that must not be taken in softirq.
	 */
	return _copy_from_iter(to, length, from) == length;
}

bool ropcie_copy_skb(void *to, const struct sk_buff *skb)
{
	return skb_copy_bits(skb, 0, to, skb->len) == 0;
}

void ropcie_copy_publish(__le64 *to, u64 word)
{
	/* The store fence also empties the write-combining buffers (x86: sfence), */
	wmb();
	WRITE_ONCE(*to, cpu_to_le64(word));
	/* and so does the full one, which also keeps later loads behind the store. */
	mb();
}
