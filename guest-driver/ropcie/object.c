// SPDX-License-Identifier: GPL-2.0-only
/* Tables of numbered objects: see object.h. */

#include <linux/err.h>
#include <linux/slab.h>

#include "object.h"

void ropcie_table_init(struct ropcie_table *table, u32 first, u32 last, u32 limit)
{
	xa_init_flags(&table->objects, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	atomic_set(&table->count, 0);
	table->limit = limit;
	table->first = first;
	table->last = last;
	table->next = first;
}

void ropcie_table_destroy(struct ropcie_table *table)
{
	WARN_ON(!xa_empty(&table->objects));
	xa_destroy(&table->objects);
}

static struct ropcie_object *alloc(struct ropcie_table *table, void *owner)
{
	struct ropcie_object *object;

	if (!atomic_add_unless(&table->count, 1, table->limit))
		return NULL;
	object = kzalloc(sizeof(*object), GFP_KERNEL);
	if (!object) {
		atomic_dec(&table->count);
		return NULL;
	}
	refcount_set(&object->references, 1);
	init_completion(&object->released);
	object->owner = owner;
	return object;
}

struct ropcie_object *ropcie_object_create(struct ropcie_table *table, void *owner)
{
	struct ropcie_object *object = alloc(table, owner);
	int err;

	if (!object)
		return ERR_PTR(-ENOMEM);
	err = xa_alloc_cyclic_irq(&table->objects, &object->number, NULL,
				  XA_LIMIT(table->first, table->last), &table->next, GFP_KERNEL);
	if (err < 0) {
		atomic_dec(&table->count);
		kfree(object);
		return ERR_PTR(err);
	}
	return object;
}

struct ropcie_object *ropcie_object_create_at(struct ropcie_table *table, u32 number, void *owner)
{
	struct ropcie_object *object = alloc(table, owner);
	int err;

	if (!object)
		return ERR_PTR(-ENOMEM);
	object->number = number;
	err = xa_insert_irq(&table->objects, number, NULL, GFP_KERNEL);
	if (err) {
		atomic_dec(&table->count);
		kfree(object);
		return ERR_PTR(err);
	}
	return object;
}

void ropcie_object_publish(struct ropcie_table *table, struct ropcie_object *object)
{
	/* The number is reserved: nothing is allocated, nothing can fail. */
	xa_store_irq(&table->objects, object->number, object, GFP_KERNEL);
}

struct ropcie_object *ropcie_object_get(struct ropcie_table *table, u32 number)
{
	struct ropcie_object *object;

	rcu_read_lock();
	object = xa_load(&table->objects, number);
	if (object && !refcount_inc_not_zero(&object->references))
		object = NULL;
	rcu_read_unlock();
	return object;
}

void ropcie_object_put(struct ropcie_object *object)
{
	if (refcount_dec_and_test(&object->references))
		complete(&object->released);
}

void ropcie_object_hide(struct ropcie_table *table, struct ropcie_object *object)
{
	unsigned long flags;

	xa_lock_irqsave(&table->objects, flags);
	if (xa_load(&table->objects, object->number) == object)
		__xa_store(&table->objects, object->number, NULL, GFP_ATOMIC);
	xa_unlock_irqrestore(&table->objects, flags);
}

void ropcie_object_destroy(struct ropcie_table *table, struct ropcie_object *object)
{
	unsigned long flags;

	ropcie_object_hide(table, object);
	ropcie_object_put(object);
	wait_for_completion(&object->released);

	xa_lock_irqsave(&table->objects, flags);
	__xa_erase(&table->objects, object->number);
	xa_unlock_irqrestore(&table->objects, flags);
	atomic_dec(&table->count);
	kfree_rcu(object, rcu);
}
