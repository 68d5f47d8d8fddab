// SPDX-License-Identifier: GPL-2.0-only
/* Multicast groups: see mcast.h. */

#include <linux/rhashtable.h>

#include "device.h"
#include "mcast.h"
#include "qp.h"

/* Replaced as a whole when a queue pair comes or goes, so that readers need no lock. */
struct group {
	union ib_gid gid;
	struct rcu_head rcu;
	u32 count;
	struct ropcie_object *qps[];
};

/* Where the group is, or would be: groups lie one after the other. */
static int find(struct ropcie_device *device, const union ib_gid *gid, struct group **found,
		unsigned long *free)
{
	struct group *group;
	unsigned long index;

	*free = 0;
	xa_for_each(&device->groups, index, group) {
		if (!memcmp(&group->gid, gid, sizeof(*gid))) {
			*found = group;
			*free = index;
			return 0;
		}
		if (index == *free)
			*free = index + 1;
	}
	*found = NULL;
	return *free < ROPCIE_MAX_GROUPS ? 0 : -ENOSPC;
}

int ropcie_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_object *object = to_ropcie_qp(ib)->object;
	struct group *old, *group;
	unsigned long index;
	u32 i, count;
	int err;

	mutex_lock(&device->groups_mutex);
	err = find(device, gid, &old, &index);
	if (err)
		goto out;
	count = old ? old->count : 0;
	for (i = 0; i < count; i++)
		if (old->qps[i] == object)
			goto out;	/* it is there already */
	err = -ENOMEM;
	if (count == ROPCIE_MAX_GROUP_QPS)
		goto out;
	group = kzalloc(struct_size(group, qps, count + 1), GFP_KERNEL);
	if (!group)
		goto out;
	group->gid = *gid;
	group->count = count + 1;
	if (old)
		memcpy(group->qps, old->qps, count * sizeof(*old->qps));
	group->qps[count] = object;
	err = xa_err(xa_store_irq(&device->groups, index, group, GFP_KERNEL));
	if (err) {
		kfree(group);
		goto out;
	}
	if (old)
		kfree_rcu(old, rcu);
out:
	mutex_unlock(&device->groups_mutex);
	return err;
}

int ropcie_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_object *object = to_ropcie_qp(ib)->object;
	struct group *old, *group = NULL;
	unsigned long index;
	int err = -EINVAL;
	u32 i, kept = 0;

	mutex_lock(&device->groups_mutex);
	find(device, gid, &old, &index);
	if (!old)
		goto out;
	for (i = 0; i < old->count; i++)
		kept += old->qps[i] != object;
	if (kept == old->count)
		goto out;
	if (kept) {
		err = -ENOMEM;
		group = kzalloc(struct_size(group, qps, kept), GFP_KERNEL);
		if (!group)
			goto out;
		group->gid = *gid;
		for (i = 0; i < old->count; i++)
			if (old->qps[i] != object)
				group->qps[group->count++] = old->qps[i];
		xa_store_irq(&device->groups, index, group, GFP_KERNEL);
	} else {
		xa_erase_irq(&device->groups, index);
	}
	kfree_rcu(old, rcu);
	err = 0;
out:
	mutex_unlock(&device->groups_mutex);
	return err;
}

void ropcie_multicast_for_each(struct ropcie_device *device, const u8 *gid,
			       void (*visit)(struct ropcie_qp *qp, void *context), void *context)
{
	struct group *group;
	unsigned long index;
	u32 i;

	rcu_read_lock();
	xa_for_each(&device->groups, index, group) {
		if (memcmp(&group->gid, gid, sizeof(group->gid)))
			continue;
		for (i = 0; i < group->count; i++) {
			struct ropcie_object *object =
				ropcie_object_get(&device->qps, group->qps[i]->number);

			if (!object)
				continue;
			visit(object->owner, context);
			ropcie_object_put(object);
		}
	}
	rcu_read_unlock();
}

void ropcie_multicast_destroy(struct ropcie_device *device)
{
	struct group *group;
	unsigned long index;

	xa_for_each(&device->groups, index, group)
		kfree(group);
	xa_destroy(&device->groups);
}
