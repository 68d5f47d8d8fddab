/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of what a peer or a mapped ring may name by a number: queue pairs, memory regions, shared receive queues.
 *
 *	object = ropcie_object_get(&device->qps, qpn);	// any context
 *	if (!object)
 *		return;
 *	qp = object->owner;
 *	...
 *	ropcie_object_put(object);
 *
 * The owner's memory may be freed once ropcie_object_destroy() has returned: nobody has a reference then, and nobody
 * gets one. The small struct here outlives it until the readers of RCU are gone.
 */
#ifndef ROPCIE_OBJECT_H
#define ROPCIE_OBJECT_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

struct ropcie_object {
	refcount_t references;
	u32 number;
	void *owner;
	struct completion released;
	struct rcu_head rcu;
};

struct ropcie_table {
	struct xarray objects;
	atomic_t count;
	u32 limit;
	u32 next;
	u32 first;
	u32 last;
};

/* At most @limit objects at a time, with numbers from @first to @last. */
void ropcie_table_init(struct ropcie_table *table, u32 first, u32 last, u32 limit);
void ropcie_table_destroy(struct ropcie_table *table);

/* With a number of the table's range, cyclic; ERR_PTR(-ENOMEM): there are as many as may be. Not found before ropcie_object_publish(). */
struct ropcie_object *ropcie_object_create(struct ropcie_table *table, void *owner);
/* With this number, which is out of the cyclic range. */
struct ropcie_object *ropcie_object_create_at(struct ropcie_table *table, u32 number, void *owner);
void ropcie_object_publish(struct ropcie_table *table, struct ropcie_object *object);

struct ropcie_object *ropcie_object_get(struct ropcie_table *table, u32 number);
void ropcie_object_put(struct ropcie_object *object);

/* No one finds it any more. */
void ropcie_object_hide(struct ropcie_table *table, struct ropcie_object *object);
/* Hides it, waits until nobody has a reference, frees it. Sleeps. */
void ropcie_object_destroy(struct ropcie_table *table, struct ropcie_object *object);

#endif
