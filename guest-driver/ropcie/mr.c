// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions: of processes, of all the kernel's memory, and those that REG_MR fills. */

#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/ropcie-abi.h>

#include "compat_rdma.h"
#include "device.h"
#include "mr.h"

#define ACCESS_FLAGS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ZERO_BASED | \
			 IB_ACCESS_HUGETLB | ROPCIE_ACCESS_FLUSH | IB_ACCESS_OPTIONAL)

static struct ropcie_mr *create(struct ib_pd *pd, enum ropcie_region_kind kind, int access)
{
	struct ropcie_device *device = to_ropcie_device(pd->device);
	struct ropcie_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	struct ropcie_object *object;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	object = ropcie_object_create(&device->keys, &mr->region);
	if (IS_ERR(object)) {
		kfree(mr);
		return ERR_CAST(object);
	}
	mr->region.object = object;
	mr->region.kind = kind;
	mr->region.pd = pd;
	mr->region.access = access;
	/* A key of before names nothing, even if its number is given again. */
	mr->region.key = ropcie_make_key(object->number, get_random_u8());
	mr->ib.lkey = mr->region.key;
	mr->ib.rkey = mr->region.key;
	mr->ib.pd = pd;
	mr->ib.device = pd->device;
	return mr;
}

static void publish(struct ropcie_mr *mr, bool valid)
{
	struct ropcie_device *device = to_ropcie_device(mr->ib.device);

	mr->region.valid = valid;
	ropcie_object_publish(&device->keys, mr->region.object);
}

static void destroy(struct ropcie_mr *mr)
{
	struct ropcie_device *device = to_ropcie_device(mr->ib.device);

	ropcie_object_destroy(&device->keys, mr->region.object);
	kvfree(mr->region.pages);
	if (mr->umem)
		ib_umem_release(mr->umem);
	kfree(mr);
}

struct ib_mr *ropcie_get_dma_mr(struct ib_pd *pd, int access)
{
	struct ropcie_mr *mr = create(pd, ROPCIE_REGION_DMA, access);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->region.length = U64_MAX;
	publish(mr, true);
	return &mr->ib;
}

/* Pins the memory and lists its pages. */
static int pin(struct ib_device *ib, u64 start, u64 length, int access, struct ib_umem **umem,
	       struct page ***pages, u32 *page_count)
{
	struct sg_page_iter iter;
	struct ib_umem *pinned;
	struct page **list;
	size_t count, i = 0;

	if (!length)
		return -EINVAL;
	pinned = ib_umem_get(ib, start, length, access);
	if (IS_ERR(pinned))
		return PTR_ERR(pinned);

	count = (PAGE_ALIGN(start + length) - (start & PAGE_MASK)) >> PAGE_SHIFT;
	list = kvmalloc_array(count, sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list) {
		ib_umem_release(pinned);
		return -ENOMEM;
	}
	for_each_sgtable_page(&pinned->sgt_append.sgt, &iter, 0) {
		if (i == count)
			break;
		list[i++] = sg_page_iter_page(&iter);
	}
	if (i != count) {
		kvfree(list);
		ib_umem_release(pinned);
		return -EFAULT;
	}

	*umem = pinned;
	*pages = list;
	*page_count = count;
	return 0;
}

/* Takes the key back, and keeps windows from being bound; false: some are. */
static bool revoke_unbound(struct ropcie_mr *mr)
{
	struct ropcie_device *device = to_ropcie_device(mr->ib.device);
	bool unbound;

	spin_lock_bh(&device->bind_lock);
	unbound = !atomic_read(&mr->region.windows);
	if (unbound)
		ropcie_region_revoke(&mr->region, 0);
	spin_unlock_bh(&device->bind_lock);
	return unbound;
}

static void place(struct ropcie_region *region, u64 start, u64 length, u64 iova)
{
	region->iova = iova;
	region->length = length;
	region->offset = offset_in_page(start);
}

struct ib_mr *ropcie_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				 struct ib_udata *udata)
{
	struct ropcie_mr *mr;
	int err;

	if (access & ~ACCESS_FLAGS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = create(pd, ROPCIE_REGION_USER, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	err = pin(pd->device, start, length, access, &mr->umem, &mr->region.pages,
		  &mr->region.page_count);
	if (err) {
		destroy(mr);
		return ERR_PTR(err);
	}
	place(&mr->region, start, length, iova);
	publish(mr, true);
	return &mr->ib;
}

struct ib_mr *ropcie_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				   int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct ropcie_mr *mr = to_ropcie_mr(ib);
	struct ropcie_region *region = &mr->region;
	struct ib_umem *umem = NULL;
	struct page **pages = NULL;
	u32 page_count;
	int err;

	if (region->kind != ROPCIE_REGION_USER)
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = region->access;
	if (access & ~ACCESS_FLAGS)
		return ERR_PTR(-EOPNOTSUPP);

	if (!(flags & IB_MR_REREG_TRANS) && ib_access_writable(access) && !mr->umem->writable) {
		/* Pinned to be read: the same memory has to be pinned again, to be written. */
		flags |= IB_MR_REREG_TRANS;
		start = mr->umem->address;
		length = mr->umem->length;
		iova = region->iova;
	}
	if (flags & IB_MR_REREG_TRANS) {
		err = pin(ib->device, start, length, access, &umem, &pages, &page_count);
		if (err)
			return ERR_PTR(err);
	}

	if (!revoke_unbound(mr)) {
		err = -EBUSY;
		goto out;
	}
	if (umem) {
		swap(mr->umem, umem);
		swap(region->pages, pages);
		region->page_count = page_count;
		place(region, start, length, iova);
	}
	region->access = access;
	if (flags & IB_MR_REREG_PD)
		region->pd = pd;
	/* All of it before valid. */
	smp_store_release(&region->valid, true);
	err = 0;
out:
	kvfree(pages);
	if (umem)
		ib_umem_release(umem);
	return ERR_PTR(err);
}

struct ib_mr *ropcie_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_pages)
{
	struct ropcie_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_pages || max_pages > ROPCIE_MAX_FAST_PAGES)
		return ERR_PTR(-EINVAL);
	mr = create(pd, ROPCIE_REGION_FAST, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->region.pages = kvcalloc(max_pages, sizeof(*mr->region.pages), GFP_KERNEL);
	if (!mr->region.pages) {
		destroy(mr);
		return ERR_PTR(-ENOMEM);
	}
	mr->region.max_pages = max_pages;
	publish(mr, false);
	return &mr->ib;
}

static int set_page(struct ib_mr *ib, u64 address)
{
	struct ropcie_region *region = &to_ropcie_mr(ib)->region;
	u32 i, count = ib->page_size >> PAGE_SHIFT;

	if (region->page_count + count > region->max_pages)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		region->pages[region->page_count++] =
			virt_to_page((void *)(uintptr_t)(address + (u64)i * PAGE_SIZE));
	return 0;
}

int ropcie_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int count, unsigned int *offset)
{
	struct ropcie_region *region = &to_ropcie_mr(ib)->region;

	if (region->kind != ROPCIE_REGION_FAST || READ_ONCE(region->valid))
		return -EINVAL;
	if (ib->page_size < PAGE_SIZE)
		return -EOPNOTSUPP;
	region->page_count = 0;
	return ib_sg_to_pages(ib, sg, count, offset, set_page);
}

int ropcie_mr_fast_register(struct ropcie_device *device, const struct ropcie_accessor *who,
			    const struct ropcie_send_wqe *wqe)
{
	struct ropcie_mr *mr = (struct ropcie_mr *)(uintptr_t)wqe->reg.mr;
	struct ropcie_region *region = &mr->region;

	if (who->user || region->kind != ROPCIE_REGION_FAST || region->pd != who->pd ||
	    READ_ONCE(region->valid) || wqe->reg.key >> 8 != region->object->number)
		return -EINVAL;
	if ((u64)region->page_count << PAGE_SHIFT <
	    mr->ib.length + (mr->ib.iova & (mr->ib.page_size - 1)))
		return -EINVAL;
	region->key = wqe->reg.key;
	region->access = wqe->reg.access;
	region->iova = mr->ib.iova;
	region->length = mr->ib.length;
	region->offset = mr->ib.iova & (mr->ib.page_size - 1);
	/* All of it before valid. */
	smp_store_release(&region->valid, true);
	return 0;
}

int ropcie_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct ropcie_mr *mr = to_ropcie_mr(ib);

	if (!revoke_unbound(mr))
		return -EBUSY;
	destroy(mr);
	return 0;
}
