/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues. */
#ifndef ROPCIE_CQ_H
#define ROPCIE_CQ_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "compat_rdma.h"
#include "queue.h"

struct ropcie_device;

struct ropcie_cq {
	struct ib_cq ib;
	spinlock_t lock;
	struct mutex resize_mutex;
	struct ropcie_queue queue;	/* changes under both */
	u32 producer;		/* the kernel's own; what is mapped has a copy */
	u32 consumer;		/* of a kernel user's queue */
	bool user;
	bool timestamps;
	bool ignore_overrun;	/* completions without room are lost, and that is all */
	bool overflowed;
	enum ropcie_arm arm;	/* of a kernel user's queue */

	/* moderation: an event only after so many completions, or so many microseconds */
	u16 event_count;
	u16 event_period;
	u32 pending;
	struct hrtimer timer;

	struct tasklet_struct tasklet;	/* calls a kernel user's handler, with no lock held */
	struct work_struct overflow_work;
};

static inline struct ropcie_cq *to_ropcie_cq(struct ib_cq *ib)
{
	return container_of(ib, struct ropcie_cq, ib);
}

/* Any context. Without room the completion is lost, and the queue in error but for IGNORE_OVERRUN. */
void ropcie_cq_push(struct ropcie_cq *cq, const struct ropcie_cqe *cqe);

/* ib_device_ops */
int ropcie_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		     ROPCIE_CREATE_CQ_UDATA *attrs);
int ropcie_destroy_cq(struct ib_cq *ib, struct ib_udata *udata);
int ropcie_resize_cq(struct ib_cq *ib, int entries, struct ib_udata *udata);
int ropcie_modify_cq(struct ib_cq *ib, u16 count, u16 period);
int ropcie_poll_cq(struct ib_cq *ib, int max, struct ib_wc *wc);
int ropcie_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags);

#endif
