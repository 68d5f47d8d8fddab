/* SPDX-License-Identifier: GPL-2.0-only */
/* The ib_device of a node, its limits and its tables. */
#ifndef ROPCIE_DEVICE_H
#define ROPCIE_DEVICE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "hw_counters.h"
#include "object.h"
#include "port.h"

#define ROPCIE_MAX_QP		0x10000
#define ROPCIE_MAX_QP_WR	0x8000
#define ROPCIE_MAX_CQ		0x10000
#define ROPCIE_MAX_CQE		0x100000
#define ROPCIE_MAX_SRQ		0x10000
#define ROPCIE_MAX_SRQ_WR	0x8000
#define ROPCIE_MAX_PD		0x100000
#define ROPCIE_MAX_AH		0x100000
#define ROPCIE_MAX_KEY		0xffffff	/* memory regions and windows */
#define ROPCIE_MAX_READS	32		/* READ and atomic requests under way per direction */
#define ROPCIE_MAX_FAST_PAGES	512
#define ROPCIE_MAX_GROUPS	8192
#define ROPCIE_MAX_GROUP_QPS	256
#define ROPCIE_MAX_MESSAGE	(1u << 31)
#define ROPCIE_GID_TABLE	1024
#define ROPCIE_PKEY		0xffff
#define ROPCIE_FIRST_QPN	0x11
#define ROPCIE_LAST_QPN		0xfffffe
/* Table entry 0 of the keys is never used: key 0 is the kernel users' local_dma_lkey. */
#define ROPCIE_LOCAL_DMA_LKEY	0

struct ropcie_device {
	struct ib_device ib;		/* first: ib_alloc_device() */
	struct ropcie_node *node;
	struct net_device *netdev;
	struct workqueue_struct *workqueue;

	struct ropcie_table qps;
	struct ropcie_table keys;
	struct ropcie_table srqs;
	struct xarray address_vectors;
	struct xarray groups;
	struct mutex groups_mutex;

	spinlock_t bind_lock;		/* of all windows */
	spinlock_t blocked_lock;
	struct list_head blocked;	/* of struct ropcie_qp: they wait for room at their peer */
	spinlock_t port_lock;
	bool port_active;		/* as the last event said */
	bool port_silent;		/* no event any more */

	atomic64_t counters[ROPCIE_COUNTERS];
};

struct ropcie_ucontext {
	struct ib_ucontext ib;
};

struct ropcie_pd {
	struct ib_pd ib;
};

struct ropcie_xrcd {
	struct ib_xrcd ib;
};

static inline struct ropcie_device *to_ropcie_device(struct ib_device *ib)
{
	return container_of(ib, struct ropcie_device, ib);
}

static inline void ropcie_count(struct ropcie_device *device, enum ropcie_counter counter)
{
	atomic64_inc(&device->counters[counter]);
}

/* verbs.c */
int ropcie_device_register(struct ropcie_device *device);
bool ropcie_port_is_active(const struct ropcie_device *device);

#endif
