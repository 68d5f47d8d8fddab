// SPDX-License-Identifier: GPL-2.0-only
/* Keys, and the bytes that they give access to: see region.h. */

#include <linux/highmem.h>
#include <linux/mm.h>

#include "device.h"
#include "region.h"

static const struct ropcie_region local_dma = {
	.kind = ROPCIE_REGION_DMA,
	.valid = true,
	.access = IB_ACCESS_LOCAL_WRITE,
	.length = U64_MAX,
};

static bool within(const struct ropcie_region *region, u64 address, u64 length)
{
	if (region->kind == ROPCIE_REGION_DMA)
		return !length || (virt_addr_valid((void *)(uintptr_t)address) &&
				   virt_addr_valid((void *)(uintptr_t)(address + length - 1)));
	return address >= region->iova && length <= region->length &&
	       address - region->iova <= region->length - length;
}

static bool allowed(const struct ropcie_region *region, const struct ropcie_accessor *who,
		    u32 key, int access)
{
	/* valid before all else of it */
	if (!smp_load_acquire(&region->valid) || region->key != key || region->pd != who->pd)
		return false;
	if ((region->access & access) != access)
		return false;
	if (region->kind != ROPCIE_REGION_WINDOW)
		return true;
	/* A window is for peers; one of type 2 for the peer of its queue pair. */
	if (!access || (access & IB_ACCESS_LOCAL_WRITE))
		return false;
	return region->window_type == IB_MW_TYPE_1 || region->qp_number == who->qp_number;
}

int ropcie_span_get(struct ropcie_device *device, const struct ropcie_accessor *who, u32 key,
		    int access, u64 address, u64 length, struct ropcie_span *span)
{
	struct ropcie_region *region;
	struct ropcie_object *object;

	if (key == ROPCIE_LOCAL_DMA_LKEY) {
		if (who->user || (access & ~IB_ACCESS_LOCAL_WRITE) ||
		    !within(&local_dma, address, length))
			return -EACCES;
		span->region = (struct ropcie_region *)&local_dma;
		span->held = NULL;
		span->offset = address;
		return 0;
	}

	object = ropcie_object_get(&device->keys, key >> 8);
	if (!object)
		return -EACCES;
	smp_mb__after_atomic();	/* the reference before valid: see ropcie_region_revoke() */
	region = object->owner;
	if (!allowed(region, who, key, access) || !within(region, address, length)) {
		ropcie_object_put(object);
		return -EACCES;
	}

	span->held = object;
	span->offset = address - region->iova;
	if (region->kind == ROPCIE_REGION_WINDOW) {
		span->offset += region->bound_at;
		region = region->bound_to;
	}
	span->region = region;
	return 0;
}

void ropcie_span_put(struct ropcie_span *span)
{
	if (span->held)
		ropcie_object_put(span->held);
	span->held = NULL;
}

/* The page of a byte of the region, and where in it that byte is. */
static struct page *page_of(const struct ropcie_region *region, u64 offset, u32 *in_page)
{
	if (region->kind == ROPCIE_REGION_DMA) {
		void *address = (void *)(uintptr_t)(region->iova + offset);

		*in_page = offset_in_page(address);
		return virt_to_page(address);
	}
	offset += region->offset;
	*in_page = offset_in_page(offset);
	return region->pages[offset >> PAGE_SHIFT];
}

static void write_pages(const struct ropcie_region *region, u64 offset, const void *data,
			size_t length)
{
	while (length) {
		u32 in_page;
		struct page *page = page_of(region, offset, &in_page);
		size_t chunk = min_t(size_t, length, PAGE_SIZE - in_page);
		void *memory = kmap_local_page(page);

		memcpy(memory + in_page, data, chunk);
		flush_dcache_page(page);
		kunmap_local(memory);
		data += chunk;
		offset += chunk;
		length -= chunk;
	}
}

void ropcie_span_write(const struct ropcie_span *span, const void *data, size_t length)
{
	size_t tail = min_t(size_t, length, 8);

	write_pages(span->region, span->offset, data, length - tail);
	smp_wmb();	/* the tail is what a process polls */
	write_pages(span->region, span->offset + length - tail, data + length - tail, tail);
}

unsigned int ropcie_span_bvecs(const struct ropcie_span *span, size_t length,
			       struct bio_vec *bvecs)
{
	u64 offset = span->offset;
	unsigned int count = 0;

	while (length) {
		u32 in_page;
		struct page *page = page_of(span->region, offset, &in_page);
		size_t chunk = min_t(size_t, length, PAGE_SIZE - in_page);

		bvec_set_page(&bvecs[count++], page, chunk, in_page);
		offset += chunk;
		length -= chunk;
	}
	return count;
}

u64 ropcie_span_compare_swap(const struct ropcie_span *span, u64 compare, u64 swap)
{
	u32 in_page;
	void *memory = kmap_local_page(page_of(span->region, span->offset, &in_page));
	u64 before = cmpxchg64((u64 *)(memory + in_page), compare, swap);

	kunmap_local(memory);
	return before;
}

u64 ropcie_span_fetch_add(const struct ropcie_span *span, u64 add)
{
	u32 in_page;
	void *memory = kmap_local_page(page_of(span->region, span->offset, &in_page));
	u64 *target = memory + in_page;
	u64 before, seen = READ_ONCE(*target);

	do {
		before = seen;
		seen = cmpxchg64(target, before, before + add);
	} while (seen != before);
	kunmap_local(memory);
	return before;
}

void ropcie_span_store(const struct ropcie_span *span, u64 value)
{
	u32 in_page;
	void *memory = kmap_local_page(page_of(span->region, span->offset, &in_page));

	/* After all that was written before. */
	smp_store_release((u64 *)(memory + in_page), value);
	kunmap_local(memory);
}

void ropcie_region_revoke(struct ropcie_region *region, int own)
{
	WRITE_ONCE(region->valid, false);
	smp_mb();	/* valid before the references: see ropcie_span_get() */
	while (refcount_read(&region->object->references) > 1 + own)
		cpu_relax();
}
