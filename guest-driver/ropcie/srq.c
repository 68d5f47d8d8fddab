// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues, also of XRC. */

#include <linux/uaccess.h>

#include "compat_rdma.h"
#include "device.h"
#include "responder.h"
#include "srq.h"

int ropcie_srq_take(struct ropcie_srq *srq, struct ropcie_receive *receive)
{
	struct ropcie_device *device = to_ropcie_device(srq->ib.device);
	u32 left, limit;
	int err = ropcie_receive_queue_take(&srq->rq, receive, &left);

	if (err)
		return err;
	limit = READ_ONCE(srq->limit);
	if (limit && left < limit && cmpxchg(&srq->limit, limit, 0) == limit)
		queue_work(device->workqueue, &srq->limit_work);
	return 0;
}

static void limit_reached(struct work_struct *work)
{
	struct ropcie_srq *srq = container_of(work, struct ropcie_srq, limit_work);
	struct ib_event event = {
		.device = srq->ib.device,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
		.element.srq = &srq->ib,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

int ropcie_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct ropcie_ucontext *context =
		rdma_udata_to_drv_context(udata, struct ropcie_ucontext, ib);
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_srq *srq = to_ropcie_srq(ib);
	struct ropcie_create_srq_resp resp = {};
	int err;

	if (init->srq_type != IB_SRQT_BASIC && init->srq_type != IB_SRQT_XRC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > ROPCIE_MAX_SRQ_WR ||
	    init->attr.max_sge > ROPCIE_MAX_SGE || init->attr.srq_limit > init->attr.max_wr ||
	    (udata && udata->outlen < sizeof(resp)))
		return -EINVAL;

	srq->object = ropcie_object_create(&device->srqs, srq);
	if (IS_ERR(srq->object))
		return PTR_ERR(srq->object);
	INIT_WORK(&srq->limit_work, limit_reached);
	mutex_init(&srq->resize_mutex);
	err = ropcie_receive_queue_create(&srq->rq, init->attr.max_wr, max(init->attr.max_sge, 1u),
					  context ? &context->ib : NULL);
	if (err)
		goto destroy_object;
	srq->limit = init->attr.srq_limit;
	init->attr.max_wr = srq->rq.max_wr;
	init->attr.max_sge = srq->rq.max_sge;
	if (init->srq_type == IB_SRQT_XRC)
		ib->ext.xrc.srq_num = srq->object->number;

	if (udata) {
		ropcie_queue_describe(&srq->rq.queue, &resp.ring);
		resp.srq_number = srq->object->number;
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			goto destroy_queue;
	}
	ropcie_object_publish(&device->srqs, srq->object);
	return 0;

destroy_queue:
	ropcie_queue_destroy(&srq->rq.queue);
destroy_object:
	ropcie_object_destroy(&device->srqs, srq->object);
	return err;
}

/* More or fewer entries, with those that are posted. A process holds the lock of its side meanwhile. */
static int resize(struct ropcie_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct ropcie_ucontext *context =
		rdma_udata_to_drv_context(udata, struct ropcie_ucontext, ib);
	struct ropcie_receive_queue *rq = &srq->rq;
	struct ropcie_modify_srq_req req = {};
	struct ropcie_mapping mapping;
	struct ropcie_queue queue;
	unsigned long flags;
	u32 copied, producer, used;
	int err;

	if (!max_wr || max_wr > ROPCIE_MAX_SRQ_WR)
		return -EINVAL;
	if (udata) {
		if (udata->inlen < sizeof(req))
			return -EINVAL;
		err = ib_copy_from_udata(&req, udata, sizeof(req));
		if (err)
			return err;
	}
	err = ropcie_queue_create(&queue, max_wr, rq->queue.entry_size,
				  context ? &context->ib : NULL);
	if (err)
		return err;
	if (udata) {
		ropcie_queue_describe(&queue, &mapping);
		if (copy_to_user(u64_to_user_ptr(req.response), &mapping, sizeof(mapping))) {
			err = -EFAULT;
			goto out;
		}
	}

	/* As ropcie_resize_cq() does. The index before the requests. */
	mutex_lock(&srq->resize_mutex);
	copied = smp_load_acquire(&rq->queue.control->producer);
	ropcie_queue_copy(&queue, &rq->queue, READ_ONCE(rq->consumer), copied);

	spin_lock_irqsave(&rq->lock, flags);
	producer = smp_load_acquire(&rq->queue.control->producer);
	used = producer - rq->consumer;
	if (used > queue.entry_count || used > rq->queue.entry_count ||
	    (rq->user && producer != copied)) {
		err = -EINVAL;
	} else {
		ropcie_queue_copy(&queue, &rq->queue, copied, producer);
		queue.control->producer = producer;
		queue.control->consumer = rq->consumer;
		swap(rq->queue, queue);
		rq->max_wr = rq->queue.entry_count;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	mutex_unlock(&srq->resize_mutex);
out:
	ropcie_queue_destroy(&queue);
	return err;
}

int ropcie_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata)
{
	struct ropcie_srq *srq = to_ropcie_srq(ib);
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if ((mask & IB_SRQ_LIMIT) &&
	    attr->srq_limit > (mask & IB_SRQ_MAX_WR ? attr->max_wr : srq->rq.max_wr))
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR) {
		err = resize(srq, attr->max_wr, udata);
		if (err)
			return err;
	}
	if (mask & IB_SRQ_LIMIT)
		WRITE_ONCE(srq->limit, attr->srq_limit);
	return 0;
}

int ropcie_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct ropcie_srq *srq = to_ropcie_srq(ib);

	attr->max_wr = srq->rq.max_wr;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

int ropcie_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_srq *srq = to_ropcie_srq(ib);

	ropcie_object_hide(&device->srqs, srq->object);
	if (ib->srq_type == IB_SRQT_XRC)
		ropcie_receive_abandon(srq);
	ropcie_object_destroy(&device->srqs, srq->object);
	cancel_work_sync(&srq->limit_work);
	ropcie_queue_destroy(&srq->rq.queue);
	return 0;
}

int ropcie_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	struct ropcie_srq *srq = to_ropcie_srq(ib);
	int err = 0;

	if (srq->rq.user) {
		*bad = wr;
		return -EOPNOTSUPP;
	}
	for (; wr; wr = wr->next) {
		err = ropcie_receive_queue_post(&srq->rq, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	return err;
}
