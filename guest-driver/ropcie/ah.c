// SPDX-License-Identifier: GPL-2.0-only
/* Address handles: see ah.h. */

#include <rdma/ib_cache.h>
#include <rdma/ropcie-abi.h>

#include "ah.h"
#include "compat_rdma.h"

static int fill(struct ropcie_address_vector *vector, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE || !(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) ||
	    !grh->sgid_attr)
		return -EINVAL;
	memcpy(vector->mac, attr->roce.dmac, ETH_ALEN);
	memcpy(vector->source_gid, &grh->sgid_attr->gid, 16);
	memcpy(vector->destination_gid, &grh->dgid, 16);
	return 0;
}

/* What query_ah() tells; the core holds the reference to the sgid, not this. */
static void remember(struct ropcie_ah *ah, const struct rdma_ah_attr *attr)
{
	ah->attr = *attr;
	ah->attr.grh.sgid_attr = NULL;
}

int ropcie_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC;
	struct ropcie_address_vector *vector;
	struct ropcie_create_ah_resp resp = {};
	struct ropcie_ah *ah = to_ropcie_ah(ib);
	unsigned long flags;
	int err;

	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;
	vector = kzalloc(sizeof(*vector), gfp);
	if (!vector)
		return -ENOMEM;
	vector->pd = ib->pd;
	err = fill(vector, init->ah_attr);
	if (err)
		goto free;

	if (gfp == GFP_KERNEL) {
		err = xa_alloc_irq(&device->address_vectors, &vector->number, vector,
				   XA_LIMIT(1, ROPCIE_MAX_AH), GFP_KERNEL);
	} else {
		xa_lock_irqsave(&device->address_vectors, flags);
		err = __xa_alloc(&device->address_vectors, &vector->number, vector,
				 XA_LIMIT(1, ROPCIE_MAX_AH), GFP_ATOMIC);
		xa_unlock_irqrestore(&device->address_vectors, flags);
	}
	if (err)
		goto free;

	ah->vector = vector;
	remember(ah, init->ah_attr);
	if (udata) {
		resp.ah_number = vector->number;
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			ropcie_destroy_ah(ib, 0);
	}
	return err;

free:
	kfree(vector);
	return err;
}

int ropcie_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_ah *ah = to_ropcie_ah(ib);
	struct ropcie_address_vector *vector;
	unsigned long flags;
	int err;

	vector = kmemdup(ah->vector, sizeof(*vector), GFP_ATOMIC);
	if (!vector)
		return -ENOMEM;
	err = fill(vector, attr);
	if (err) {
		kfree(vector);
		return err;
	}
	xa_lock_irqsave(&device->address_vectors, flags);
	__xa_store(&device->address_vectors, vector->number, vector, GFP_ATOMIC);
	xa_unlock_irqrestore(&device->address_vectors, flags);
	swap(ah->vector, vector);
	kfree_rcu(vector, rcu);
	remember(ah, attr);
	return 0;
}

int ropcie_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	*attr = to_ropcie_ah(ib)->attr;
	attr->type = ib->type;
	return 0;
}

int ropcie_destroy_ah(struct ib_ah *ib, u32 flags)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_address_vector *vector = to_ropcie_ah(ib)->vector;
	unsigned long irq;

	xa_lock_irqsave(&device->address_vectors, irq);
	__xa_erase(&device->address_vectors, vector->number);
	xa_unlock_irqrestore(&device->address_vectors, irq);
	kfree_rcu(vector, rcu);
	return 0;
}

bool ropcie_address_vector_find(struct ropcie_device *device, u32 number, struct ib_pd *pd,
				struct ropcie_address_vector *copy)
{
	struct ropcie_address_vector *vector;
	bool found;

	rcu_read_lock();
	vector = xa_load(&device->address_vectors, number);
	found = vector && vector->pd == pd;
	if (found)
		*copy = *vector;
	rcu_read_unlock();
	return found;
}
