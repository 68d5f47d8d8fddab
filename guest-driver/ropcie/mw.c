// SPDX-License-Identifier: GPL-2.0-only
/* Memory windows of type 1 and 2B, and what invalidates keys. */

#include <rdma/ropcie-abi.h>

#include "device.h"
#include "mr.h"

/* LOCAL_WRITE says nothing of a window, but is often given. */
#define WINDOW_ACCESS	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_LOCAL_WRITE | IB_ZERO_BASED)

int ropcie_alloc_mw(struct ib_mw *ib, struct ib_udata *udata)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_mw *mw = to_ropcie_mw(ib);
	struct ropcie_object *object = ropcie_object_create(&device->keys, &mw->region);

	if (IS_ERR(object))
		return PTR_ERR(object);
	mw->region.object = object;
	mw->region.kind = ROPCIE_REGION_WINDOW;
	mw->region.window_type = ib->type;
	mw->region.pd = ib->pd;
	mw->region.key = ropcie_make_key(object->number, get_random_u8());
	ib->rkey = mw->region.key;
	ropcie_object_publish(&device->keys, object);
	return 0;
}

/* @own: the references that the caller has. Only who made it invalid gets here. */
static void unbind(struct ropcie_region *window, int own)
{
	ropcie_region_revoke(window, own);
	if (window->bound_to)
		atomic_dec(&window->bound_to->windows);
	window->bound_to = NULL;
}

int ropcie_dealloc_mw(struct ib_mw *ib)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_mw *mw = to_ropcie_mw(ib);

	ropcie_object_destroy(&device->keys, mw->region.object);
	if (mw->region.bound_to)
		atomic_dec(&mw->region.bound_to->windows);
	return 0;
}

static int may_bind(const struct ropcie_region *window, const struct ropcie_region *region,
		    const struct ropcie_accessor *who, const struct ropcie_send_wqe *wqe)
{
	bool writes = wqe->bind.access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC);

	if (wqe->bind.access & ~WINDOW_ACCESS)
		return -EINVAL;
	/* valid before all else of it */
	if (!smp_load_acquire(&region->valid) || region->kind != ROPCIE_REGION_USER ||
	    region->key != wqe->bind.mr_lkey || region->pd != who->pd)
		return -EACCES;
	if (!(region->access & IB_ACCESS_MW_BIND) ||
	    (writes && !(region->access & IB_ACCESS_LOCAL_WRITE)))
		return -EACCES;
	if (window->window_type == IB_MW_TYPE_1 && (region->access & IB_ZERO_BASED))
		return -EINVAL;
	if (wqe->bind.address < region->iova || wqe->bind.length > region->length ||
	    wqe->bind.address - region->iova > region->length - wqe->bind.length)
		return -EACCES;
	return 0;
}

static int bind(struct ropcie_device *device, struct ropcie_region *window,
		const struct ropcie_accessor *who, const struct ropcie_send_wqe *wqe)
{
	struct ropcie_region *region;
	struct ropcie_object *object;
	int err;

	if (window->kind != ROPCIE_REGION_WINDOW || window->pd != who->pd ||
	    window->key != wqe->bind.mw_rkey ||
	    wqe->bind.new_rkey >> 8 != window->object->number)
		return -EACCES;
	if (window->window_type == IB_MW_TYPE_2 && (READ_ONCE(window->valid) || !wqe->bind.length))
		return -EINVAL;

	if (!wqe->bind.length) {	/* type 1: unbinds */
		unbind(window, 1);
		window->key = wqe->bind.new_rkey;
		return 0;
	}

	object = ropcie_object_get(&device->keys, wqe->bind.mr_lkey >> 8);
	if (!object)
		return -EACCES;
	region = object->owner;
	err = may_bind(window, region, who, wqe);
	if (!err) {
		atomic_inc(&region->windows);
		unbind(window, 1);
		window->key = wqe->bind.new_rkey;
		window->access = wqe->bind.access & ~IB_ACCESS_LOCAL_WRITE;
		window->length = wqe->bind.length;
		window->iova = wqe->bind.access & IB_ZERO_BASED ? 0 : wqe->bind.address;
		window->bound_at = wqe->bind.address - region->iova;
		window->bound_to = region;
		window->qp_number = who->qp_number;
		/* All of it before valid. */
		smp_store_release(&window->valid, true);
	}
	ropcie_object_put(object);
	return err;
}

int ropcie_mw_bind(struct ropcie_device *device, const struct ropcie_accessor *who,
		   const struct ropcie_send_wqe *wqe)
{
	struct ropcie_object *object;
	int err = -EACCES;

	/* The lock first: who waits for it has no reference that its holder would wait for. */
	spin_lock(&device->bind_lock);
	object = ropcie_object_get(&device->keys, wqe->bind.mw_rkey >> 8);
	if (object) {
		err = bind(device, object->owner, who, wqe);
		ropcie_object_put(object);
	}
	spin_unlock(&device->bind_lock);
	return err;
}

int ropcie_key_invalidate(struct ropcie_device *device, const struct ropcie_accessor *who, u32 key)
{
	struct ropcie_object *object;
	struct ropcie_region *region;
	int err = -EACCES;

	spin_lock(&device->bind_lock);
	object = ropcie_object_get(&device->keys, key >> 8);
	if (!object)
		goto out_unlock;
	region = object->owner;
	if (region->key != key || region->pd != who->pd)
		goto out;
	if (region->kind == ROPCIE_REGION_FAST) {
		ropcie_region_revoke(region, 1);
		err = 0;
	} else if (region->kind == ROPCIE_REGION_WINDOW &&
		   region->window_type == IB_MW_TYPE_2 && READ_ONCE(region->valid) &&
		   region->qp_number == who->qp_number) {
		unbind(region, 1);
		err = 0;
	}
out:
	ropcie_object_put(object);
out_unlock:
	spin_unlock(&device->bind_lock);
	return err;
}
