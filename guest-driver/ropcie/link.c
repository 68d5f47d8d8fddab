// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ntb.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "client.h"
#include "compat.h"
#include "link.h"
#include "node.h"

#define WINDOW		0	/* index of the memory window that is used, in both directions */
#define DOORBELLS	(BIT_ULL(ROPCIE_DOORBELL_RING) | BIT_ULL(ROPCIE_DOORBELL_HELLO))

static unsigned int window_size = 2 * 1024 * 1024;
module_param(window_size, uint, 0444);
MODULE_PARM_DESC(window_size,
		 "Bytes of memory given to each peer to write into, at most (default 2 MiB)");

bool ropcie_node_per_link;
module_param_named(node_per_link, ropcie_node_per_link, bool, 0444);
MODULE_PARM_DESC(node_per_link,
		 "One network and RDMA device for each NTB link (default: one for all)");

static struct ropcie_link *link_of(struct ropcie_path *path)
{
	return container_of(path, struct ropcie_link, path);
}

/* ---- Windows ---- */

static u32 inbound_limit(struct ropcie_link *link, resource_size_t *align)
{
	resource_size_t size_align, size_max;

	if (ntb_mw_get_align(link->ntb, NTB_DEF_PEER_IDX, WINDOW, align, &size_align, &size_max))
		return 0;
	size_max = min_t(resource_size_t, size_max,
			 clamp_t(u32, window_size, ROPCIE_WINDOW_MIN, ROPCIE_WINDOW_MAX));
	/*
	 * Of a power of two, what dma_alloc_coherent() returns is aligned to its size, which
	 * Switchtec demands.
	 */
	return size_max ? rounddown_pow_of_two(size_max) : 0;
}

static void free_inbound(struct ropcie_link *link)
{
	if (link->inbound)
		dma_free_coherent(ropcie_dma_device(link->ntb), link->inbound_size, link->inbound,
				  link->inbound_dma);
	link->inbound = NULL;
	link->inbound_size = 0;
}

/* A smaller window is better than none where memory is in pieces. */
static int allocate_inbound(struct ropcie_link *link, u32 size, resource_size_t align)
{
	for (; size >= ROPCIE_WINDOW_MIN; size /= 2) {
		link->inbound = dma_alloc_coherent(ropcie_dma_device(link->ntb), size,
						   &link->inbound_dma, GFP_KERNEL | __GFP_NOWARN);
		if (!link->inbound)
			continue;
		link->inbound_size = size;
		if (IS_ALIGNED(link->inbound_dma, max_t(resource_size_t, align, size)))
			return 0;
		free_inbound(link);
	}
	return -ENOMEM;
}

int ropcie_link_open_window(struct ropcie_link *link)
{
	resource_size_t align;
	u32 limit = inbound_limit(link, &align);
	int err;

	if (limit < ROPCIE_WINDOW_MIN) {
		dev_warn_ratelimited(&link->ntb->dev,
				     "the NTB lets a peer write %u bytes, %u are needed\n", limit,
				     ROPCIE_WINDOW_MIN);
		return -ENOSPC;
	}
	if (link->inbound_size > limit) {
		err = ropcie_link_close_window(link);
		if (err)
			return err;
	}
	if (!link->inbound) {
		err = allocate_inbound(link, limit, align);
		if (err) {
			dev_warn_ratelimited(&link->ntb->dev,
					     "no memory for a window of %u bytes\n", limit);
			return err;
		}
	}
	link->translated = true;
	return ntb_mw_set_trans(link->ntb, NTB_DEF_PEER_IDX, WINDOW, link->inbound_dma,
				link->inbound_size);
}

/* The memory is kept when the NTB may still lead the peer into it. */
int ropcie_link_close_window(struct ropcie_link *link)
{
	int tries, err = 0;

	for (tries = 0; link->translated && tries < 5; tries++) {
		err = ntb_mw_clear_trans(link->ntb, NTB_DEF_PEER_IDX, WINDOW);
		link->translated = err != 0;
	}
	if (link->translated)
		return err;
	free_inbound(link);
	return 0;
}

static int map_outbound(struct ropcie_link *link)
{
	phys_addr_t base;
	resource_size_t size;
	int err;

	err = ntb_peer_mw_get_addr(link->ntb, WINDOW, &base, &size);
	if (err)
		return err;
	size = min_t(resource_size_t, size, ROPCIE_WINDOW_MAX);
	if (size < ROPCIE_WINDOW_MIN)
		return dev_err_probe(&link->ntb->dev, -ENOSPC,
				     "a memory window of %llu bytes is too small, %u are needed\n",
				     (u64)size, ROPCIE_WINDOW_MIN);
	/* Memory behind it takes no harm from combined or repeated writes. */
	link->outbound = memremap(base, size, MEMREMAP_WC);
	if (!link->outbound)
		return -ENOMEM;
	link->outbound_size = size;
	return 0;
}

/* ---- Events ---- */

bool ropcie_link_poll_ntb(struct ropcie_link *link)
{
	enum ntb_speed speed = NTB_SPEED_NONE;
	enum ntb_width width = NTB_WIDTH_NONE;
	bool up = ntb_link_is_up(link->ntb, &speed, &width) & BIT_ULL(NTB_DEF_PEER_IDX);

	WRITE_ONCE(link->speed, up ? speed : NTB_SPEED_NONE);
	WRITE_ONCE(link->width, up ? width : NTB_WIDTH_NONE);
	return up;
}

unsigned int ropcie_link_mbps(const struct ropcie_link *link)
{
	/*
	 * Of a lane, after 8b/10b (to Gen2) or 128b/130b; ntb.h names none beyond Gen4, drivers
	 * count on.
	 */
	static const unsigned int lane[] = { 0, 2000, 4000, 7877, 15754, 31508 };
	unsigned int speed = READ_ONCE(link->speed);
	unsigned int width = READ_ONCE(link->width);

	if (READ_ONCE(link->state) != ROPCIE_LINK_UP || speed >= ARRAY_SIZE(lane) || width > 32)
		return 0;
	return lane[speed] * width;
}

void ropcie_link_bell(struct ropcie_link *link, enum ropcie_doorbell doorbell)
{
	ntb_peer_db_set(link->ntb, BIT_ULL(doorbell));
}

static void ring(struct ropcie_path *path)
{
	ropcie_link_bell(link_of(path), ROPCIE_DOORBELL_RING);
}

static void broken(struct ropcie_path *path)
{
	struct ropcie_link *link = link_of(path);

	WRITE_ONCE(link->broken, true);
	ropcie_handshake_kick(link);
}

/* Both with interrupts off, under the lock of ntb_clear_ctx(). */
static void link_event(void *context)
{
	ropcie_handshake_kick(context);
}

static void doorbell_event(void *context, int vector)
{
	struct ropcie_link *link = context;
	u64 rung = ntb_db_read(link->ntb) & DOORBELLS;

	/* Cleared before the rings are looked at: what comes after rings again. */
	ntb_db_clear(link->ntb, rung);
	if (rung & BIT_ULL(ROPCIE_DOORBELL_RING))
		ropcie_path_rung(&link->path);
	if (rung & BIT_ULL(ROPCIE_DOORBELL_HELLO))
		ropcie_handshake_kick(link);
}

static const struct ntb_ctx_ops context_ops = {
	.link_event = link_event,
	.db_event = doorbell_event,
};

/* ---- Nodes of links; ropcie_mutex ---- */

static int join(struct ropcie_link *link, struct ropcie_node *node)
{
	int err = ropcie_node_add_link(node, link);

	if (!err)
		ropcie_path_init(&link->path, node, ring, broken);
	return err;
}

static void leave(struct ropcie_link *link)
{
	struct ropcie_node *node = link->node;

	ropcie_handshake_reset(link);
	ropcie_node_remove_link(node, link);
	ropcie_path_exit(&link->path);
}

static struct ropcie_node *node_for(struct ntb_dev *ntb)
{
	if (!ropcie_node_per_link && !list_empty(&ropcie_nodes))
		return list_first_entry(&ropcie_nodes, struct ropcie_node, list);
	return ropcie_node_create(ntb->dev.parent);
}

/*
 * The device that the node is a child of goes: its other links become a new node, of the next
 * device.
 */
static void rebuild(struct ropcie_node *old)
{
	struct ropcie_link *links[ROPCIE_LINKS_MAX];
	struct ropcie_node *new;
	unsigned int i, count = 0;

	for (i = 0; i < ROPCIE_LINKS_MAX; i++) {
		if (old->links[i]) {
			links[count++] = old->links[i];
			leave(old->links[i]);
		}
	}
	ropcie_node_destroy(old);
	if (!count)
		return;
	new = ropcie_node_create(links[0]->ntb->dev.parent);
	for (i = 0; i < count; i++) {
		if (IS_ERR(new) || join(links[i], new))
			dev_err(&links[i]->ntb->dev, "no network device\n");
		else
			ropcie_handshake_kick(links[i]);
	}
	if (!IS_ERR(new) && ropcie_node_is_only_link(new, NULL))
		ropcie_node_destroy(new);
}

static void leave_node(struct ropcie_link *link)
{
	struct ropcie_node *node = link->node;
	bool ends;

	if (!node)
		return;
	ends = node->parent == link->ntb->dev.parent || ropcie_node_is_only_link(node, link);
	/* While the link is there, so that connections can be ended. */
	if (ends)
		ropcie_clients_remove(node);
	leave(link);
	if (ends)
		rebuild(node);
}

/* ---- The NTB client ---- */

static int check_ntb(struct ntb_dev *ntb)
{
	if (!ntb->ops->mw_set_trans || ntb_peer_mw_count(ntb) < 1)
		return dev_err_probe(&ntb->dev, -EOPNOTSUPP,
				     "no memory window whose owner sets it up\n");
	if (ntb_spad_count(ntb) < ROPCIE_HELLO_WORDS)
		return dev_err_probe(&ntb->dev, -EOPNOTSUPP, "%d scratchpads, %d are needed\n",
				     ntb_spad_count(ntb), ROPCIE_HELLO_WORDS);
	if ((ntb_db_valid_mask(ntb) & DOORBELLS) != DOORBELLS)
		return dev_err_probe(&ntb->dev, -EOPNOTSUPP, "no doorbells\n");
	if (ntb_peer_port_count(ntb) > 1)
		dev_warn(&ntb->dev, "only the first of %d peers is served\n",
			 ntb_peer_port_count(ntb));
	return 0;
}

static int probe(struct ntb_client *client, struct ntb_dev *ntb)
{
	struct ropcie_link *link;
	struct ropcie_node *node;
	int err;

	err = check_ntb(ntb);
	if (err)
		return err;
	link = kzalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return -ENOMEM;
	link->ntb = ntb;
	INIT_DELAYED_WORK(&link->work, ropcie_handshake_work);
	link->nudged = jiffies;
	err = map_outbound(link);
	if (err)
		goto free;

	mutex_lock(&ropcie_mutex);
	node = node_for(ntb);
	err = PTR_ERR_OR_ZERO(node);
	if (!err) {
		err = join(link, node);
		if (err && ropcie_node_is_only_link(node, link))
			ropcie_node_destroy(node);
	}
	mutex_unlock(&ropcie_mutex);
	if (err)
		goto unmap;

	err = ntb_set_ctx(ntb, link, &context_ops);
	if (err)
		goto leave;
	ntb_db_clear(ntb, DOORBELLS);
	ntb_db_clear_mask(ntb, DOORBELLS);
	ntb_link_enable(ntb, NTB_SPEED_AUTO, NTB_WIDTH_AUTO);
	ropcie_handshake_kick(link);
	return 0;

leave:
	mutex_lock(&ropcie_mutex);
	leave_node(link);
	mutex_unlock(&ropcie_mutex);
unmap:
	memunmap(link->outbound);
free:
	kfree(link);
	return err;
}

struct removal {
	struct work_struct	work;
	struct ropcie_link	*link;
};

/*
 * By a worker, since a signal to who unloads the module must not interrupt what the NTB driver
 * waits for.
 */
static void remove_work(struct work_struct *work)
{
	struct ropcie_link *link = container_of(work, struct removal, work)->link;

	mutex_lock(&ropcie_mutex);
	leave_node(link);
	link->removing = true;
	mutex_unlock(&ropcie_mutex);
	ntb_db_set_mask(link->ntb, DOORBELLS);
	ntb_clear_ctx(link->ntb);
	cancel_delayed_work_sync(&link->work);
	ntb_link_disable(link->ntb);
	if (ropcie_link_close_window(link))
		dev_err(&link->ntb->dev,
			"the peer's window cannot be closed: %u bytes of memory are given up\n",
			link->inbound_size);
}

static void remove(struct ntb_client *client, struct ntb_dev *ntb)
{
	struct removal removal = { .link = ntb->ctx };

	INIT_WORK_ONSTACK(&removal.work, remove_work);
	queue_work(ropcie_workqueue, &removal.work);
	flush_work(&removal.work);
	destroy_work_on_stack(&removal.work);
	memunmap(removal.link->outbound);
	kfree(removal.link);
}

static struct ntb_client client = {
	.ops = { .probe = probe, .remove = remove },
};

int ropcie_links_register(void)
{
	return ntb_register_client(&client);
}

void ropcie_links_unregister(void)
{
	ntb_unregister_client(&client);
}
