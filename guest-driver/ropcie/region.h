/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a key names: a memory region, or a memory window bound to one. And the way to its bytes:
 *
 *	err = ropcie_span_get(device, &accessor, key, IB_ACCESS_REMOTE_WRITE, address, length, &span);
 *	if (err)
 *		return err;			// -EACCES
 *	ropcie_span_write(&span, payload, length);
 *	ropcie_span_put(&span);
 *
 * Between get and put bottom halves are off and nothing sleeps: who takes a key back waits, spinning, for the put.
 */
#ifndef ROPCIE_REGION_H
#define ROPCIE_REGION_H

#include <linux/bvec.h>
#include <rdma/ib_verbs.h>

#include "object.h"

struct ropcie_device;

enum ropcie_region_kind {
	ROPCIE_REGION_USER,	/* pinned pages of a process */
	ROPCIE_REGION_DMA,	/* all of the kernel's memory, by its virtual addresses */
	ROPCIE_REGION_FAST,	/* pages that REG_MR gives it */
	ROPCIE_REGION_WINDOW,
};

struct ropcie_region {
	struct ropcie_object *object;	/* NULL for local_dma_lkey */
	enum ropcie_region_kind kind;
	bool valid;
	u32 key;
	int access;			/* enum ib_access_flags */
	u64 iova;			/* of the first byte */
	u64 length;
	struct ib_pd *pd;

	/* regions */
	struct page **pages;
	u32 page_count;
	u32 max_pages;
	u32 offset;			/* of the first byte in the first page */
	atomic_t windows;		/* bound to this */

	/* windows */
	struct ropcie_region *bound_to;
	u64 bound_at;			/* of the window's first byte, from the region's first */
	enum ib_mw_type window_type;
	u32 qp_number;			/* type 2: the one queue pair that may use it */
};

/* On whose behalf. */
struct ropcie_accessor {
	struct ib_pd *pd;
	u32 qp_number;
	bool user;
};

struct ropcie_span {
	struct ropcie_region *region;	/* not a window */
	struct ropcie_object *held;
	u64 offset;			/* of the span's first byte, from the region's first */
};

/*
 * @access: 0 to read by an lkey, IB_ACCESS_LOCAL_WRITE to write by one; or of IB_ACCESS_REMOTE_* what a peer asks
 * for by an rkey. -EACCES: there is no such key, or it does not allow this.
 */
int ropcie_span_get(struct ropcie_device *device, const struct ropcie_accessor *who, u32 key,
		    int access, u64 address, u64 length, struct ropcie_span *span);
void ropcie_span_put(struct ropcie_span *span);

/* Copies into the span. The last eight bytes are written last, for those who poll there. */
void ropcie_span_write(const struct ropcie_span *span, const void *data, size_t length);
/* The span's memory as pages. Returns how many of @bvecs it took, at most length / PAGE_SIZE + 2. */
unsigned int ropcie_span_bvecs(const struct ropcie_span *span, size_t length,
			       struct bio_vec *bvecs);
/* One atomic operation on the span's eight aligned bytes, which returns what was there. */
u64 ropcie_span_compare_swap(const struct ropcie_span *span, u64 compare, u64 swap);
u64 ropcie_span_fetch_add(const struct ropcie_span *span, u64 add);
void ropcie_span_store(const struct ropcie_span *span, u64 value);

/* Takes the key back: waits for those who use it, but for @own references of the caller. */
void ropcie_region_revoke(struct ropcie_region *region, int own);

/* The key of a region, from its number and its variant, the low eight bits. */
static inline u32 ropcie_make_key(u32 number, u32 variant)
{
	return number << 8 | (variant & 0xff);
}

#endif
