/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive queues: those of queue pairs, and shared ones. */
#ifndef ROPCIE_SRQ_H
#define ROPCIE_SRQ_H

#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "object.h"
#include "queue.h"

/* A receive work request that has been taken: the kernel's own copy. */
struct ropcie_receive {
	u64 wr_id;
	u32 sge_count;
	struct ropcie_sge sges[ROPCIE_MAX_SGE];
};

struct ropcie_receive_queue {
	spinlock_t lock;	/* of producer (kernel users) and consumer */
	struct ropcie_queue queue;
	u32 max_sge;
	u32 max_wr;
	u32 consumer;
	bool user;
	bool malformed;
};

struct ropcie_srq {
	struct ib_srq ib;
	struct ropcie_object *object;
	struct mutex resize_mutex;
	struct ropcie_receive_queue rq;
	u32 limit;		/* 0: not armed */
	struct work_struct limit_work;
};

static inline struct ropcie_srq *to_ropcie_srq(struct ib_srq *ib)
{
	return container_of(ib, struct ropcie_srq, ib);
}

int ropcie_receive_queue_create(struct ropcie_receive_queue *rq, u32 max_wr, u32 max_sge,
				struct ib_ucontext *context);
/* Any context. -ENOMEM: full; -EINVAL: too many SGEs. */
int ropcie_receive_queue_post(struct ropcie_receive_queue *rq, const struct ib_recv_wr *wr);
/* -EAGAIN: it is empty. -EINVAL: malformed, from then on. @left, unless NULL: how many there still are. */
int ropcie_receive_queue_take(struct ropcie_receive_queue *rq, struct ropcie_receive *receive,
			      u32 *left);
/* Forgets all that was posted. */
void ropcie_receive_queue_reset(struct ropcie_receive_queue *rq);

/* As ropcie_receive_queue_take(), and raises the limit event. */
int ropcie_srq_take(struct ropcie_srq *srq, struct ropcie_receive *receive);

/* ib_device_ops */
int ropcie_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata);
int ropcie_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata);
int ropcie_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr);
int ropcie_destroy_srq(struct ib_srq *ib, struct ib_udata *udata);
int ropcie_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad);

#endif
