/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of work requests and completions: struct ropcie_queue_control and entries (ropcie-abi.h), in memory that a
 * process may have mapped. It then stays until the process unmaps it, whatever becomes of the queue.
 */
#ifndef ROPCIE_QUEUE_H
#define ROPCIE_QUEUE_H

#include <linux/kref.h>
#include <rdma/ib_verbs.h>
#include <rdma/ropcie-abi.h>

struct ropcie_buffer {
	struct kref references;
	void *memory;
	size_t size;
};

struct ropcie_queue {
	struct ropcie_queue_control *control;
	void *entries;
	u32 entry_size;
	u32 entry_count;	/* a power of two; 0: there is no such queue */
	struct ropcie_buffer *buffer;
	struct rdma_user_mmap_entry *mapping;
};

/* At least @entry_count entries; to be mapped by @context unless that is NULL. -ENOMEM. */
int ropcie_queue_create(struct ropcie_queue *queue, u32 entry_count, u32 entry_size,
			struct ib_ucontext *context);
void ropcie_queue_destroy(struct ropcie_queue *queue);
/* Entries [first, end) of a ring into another with entries of the same size; at most as many as either has. */
void ropcie_queue_copy(const struct ropcie_queue *to, const struct ropcie_queue *from, u32 first,
		       u32 end);
void ropcie_queue_describe(const struct ropcie_queue *queue, struct ropcie_mapping *mapping);

static inline void *ropcie_queue_entry(const struct ropcie_queue *queue, u32 index)
{
	return queue->entries + (size_t)(index & (queue->entry_count - 1)) * queue->entry_size;
}

/* ib_device_ops */
int ropcie_mmap(struct ib_ucontext *context, struct vm_area_struct *vma);
void ropcie_mmap_free(struct rdma_user_mmap_entry *entry);

#endif
