// SPDX-License-Identifier: GPL-2.0-only
/* Rings that a process may map: see queue.h. */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "queue.h"

struct ropcie_mmap_entry {
	struct rdma_user_mmap_entry rdma;
	struct ropcie_buffer *buffer;
};

static_assert(sizeof(struct ropcie_queue_control) <= ROPCIE_RING_ENTRIES);
static_assert(sizeof(struct ropcie_send_wqe) == 64);
static_assert(sizeof(struct ropcie_receive_wqe) == 16);
static_assert(sizeof(struct ropcie_sge) == 16);
static_assert(sizeof(struct ropcie_cqe) == 64);

static void release(struct kref *references)
{
	struct ropcie_buffer *buffer = container_of(references, struct ropcie_buffer, references);

	/* Pages that are still mapped somewhere have references of their own. */
	vfree(buffer->memory);
	kfree(buffer);
}

static int expose(struct ropcie_queue *queue, struct ib_ucontext *context)
{
	struct ropcie_mmap_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	int err;

	if (!entry)
		return -ENOMEM;
	entry->buffer = queue->buffer;
	err = rdma_user_mmap_entry_insert(context, &entry->rdma, queue->buffer->size);
	if (err) {
		kfree(entry);
		return err;
	}
	kref_get(&queue->buffer->references);
	queue->mapping = &entry->rdma;
	return 0;
}

int ropcie_queue_create(struct ropcie_queue *queue, u32 entry_count, u32 entry_size,
			struct ib_ucontext *context)
{
	struct ropcie_buffer *buffer;
	int err;

	memset(queue, 0, sizeof(*queue));
	entry_count = roundup_pow_of_two(max(entry_count, 1u));

	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	kref_init(&buffer->references);
	buffer->size = PAGE_ALIGN(ROPCIE_RING_ENTRIES + (size_t)entry_count * entry_size);
	/* A process pays for its rings. */
	buffer->memory = __vmalloc(buffer->size, __GFP_ZERO |
				   (context ? GFP_KERNEL_ACCOUNT : GFP_KERNEL));
	if (!buffer->memory) {
		kfree(buffer);
		return -ENOMEM;
	}

	queue->buffer = buffer;
	queue->control = buffer->memory;
	queue->entries = buffer->memory + ROPCIE_RING_ENTRIES;
	queue->entry_size = entry_size;
	queue->entry_count = entry_count;
	if (!context)
		return 0;

	err = expose(queue, context);
	if (err)
		ropcie_queue_destroy(queue);
	return err;
}

void ropcie_queue_destroy(struct ropcie_queue *queue)
{
	if (queue->mapping)
		rdma_user_mmap_entry_remove(queue->mapping);
	if (queue->buffer)
		kref_put(&queue->buffer->references, release);
	memset(queue, 0, sizeof(*queue));
}

void ropcie_queue_copy(const struct ropcie_queue *to, const struct ropcie_queue *from, u32 first,
		       u32 end)
{
	u32 most = min(to->entry_count, from->entry_count);

	if (end - first > most)
		first = end - most;
	for (; first != end; first++)
		memcpy(ropcie_queue_entry(to, first), ropcie_queue_entry(from, first),
		       from->entry_size);
}

void ropcie_queue_describe(const struct ropcie_queue *queue, struct ropcie_mapping *mapping)
{
	memset(mapping, 0, sizeof(*mapping));
	if (!queue->mapping)
		return;
	mapping->offset = rdma_user_mmap_get_offset(queue->mapping);
	mapping->size = queue->buffer->size;
	mapping->entry_size = queue->entry_size;
	mapping->entry_count = queue->entry_count;
}

static int insert_pages(struct vm_area_struct *vma, const struct ropcie_buffer *buffer)
{
	size_t offset;
	int err;

	for (offset = 0; offset < buffer->size; offset += PAGE_SIZE) {
		err = vm_insert_page(vma, vma->vm_start + offset,
				     vmalloc_to_page(buffer->memory + offset));
		if (err)
			return err;
	}
	return 0;
}

int ropcie_mmap(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *found;
	struct ropcie_mmap_entry *entry;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	found = rdma_user_mmap_entry_get(context, vma);
	if (!found)
		return -EINVAL;
	entry = container_of(found, struct ropcie_mmap_entry, rdma);

	if (vma->vm_end - vma->vm_start != entry->buffer->size)
		err = -EINVAL;
	else
		err = insert_pages(vma, entry->buffer);
	rdma_user_mmap_entry_put(found);
	return err;
}

void ropcie_mmap_free(struct rdma_user_mmap_entry *rdma)
{
	struct ropcie_mmap_entry *entry = container_of(rdma, struct ropcie_mmap_entry, rdma);

	kref_put(&entry->buffer->references, release);
	kfree(entry);
}
