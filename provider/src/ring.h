/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mapped rings. */
#ifndef ROPCIE_RING_H
#define ROPCIE_RING_H

#include "provider.h"

/* Maps what the kernel answered; an empty answer leaves an empty ring. 0 or errno. */
int ropcie_ring_map(struct ropcie_ring *ring, struct ibv_context *context,
		    const struct ropcie_mapping *mapping);
void ropcie_ring_unmap(struct ropcie_ring *ring);

static inline void *ropcie_ring_entry(const struct ropcie_ring *ring, uint32_t index)
{
	return ring->entries + (size_t)(index & (ring->entry_count - 1)) * ring->entry_size;
}

/* Queues that the process produces for. */
static inline uint32_t ropcie_ring_producer(const struct ropcie_ring *ring)
{
	return __atomic_load_n(&ring->control->producer, __ATOMIC_RELAXED);
}

static inline bool ropcie_ring_is_full(const struct ropcie_ring *ring, uint32_t producer)
{
	return producer - __atomic_load_n(&ring->control->consumer, __ATOMIC_ACQUIRE) >=
	       ring->entry_count;
}

/* true: the kernel sleeps, and has to be woken. */
static inline bool ropcie_ring_publish(struct ropcie_ring *ring, uint32_t producer)
{
	__atomic_store_n(&ring->control->producer, producer, __ATOMIC_RELEASE);
	/* The index before the flag: the kernel does it the other way round. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ring->control->flags, __ATOMIC_RELAXED) & ROPCIE_NEED_WAKEUP;
}

#endif
