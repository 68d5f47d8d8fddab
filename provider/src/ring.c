// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "ring.h"

int ropcie_ring_map(struct ropcie_ring *ring, struct ibv_context *context,
		    const struct ropcie_mapping *mapping)
{
	void *memory;

	memset(ring, 0, sizeof(*ring));
	if (!mapping->size)
		return 0;
	memory = mmap(NULL, mapping->size, PROT_READ | PROT_WRITE, MAP_SHARED, context->cmd_fd,
		      mapping->offset);
	if (memory == MAP_FAILED)
		return errno;
	ring->control = memory;
	ring->entries = (uint8_t *)memory + ROPCIE_RING_ENTRIES;
	ring->entry_size = mapping->entry_size;
	ring->entry_count = mapping->entry_count;
	ring->size = mapping->size;
	return 0;
}

void ropcie_ring_unmap(struct ropcie_ring *ring)
{
	if (ring->control)
		munmap(ring->control, ring->size);
	memset(ring, 0, sizeof(*ring));
}
