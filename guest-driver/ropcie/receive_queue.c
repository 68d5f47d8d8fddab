// SPDX-License-Identifier: GPL-2.0-only
/* Receive queues: see srq.h. */

#include "srq.h"

int ropcie_receive_queue_create(struct ropcie_receive_queue *rq, u32 max_wr, u32 max_sge,
				struct ib_ucontext *context)
{
	u32 entry_size = sizeof(struct ropcie_receive_wqe) + max_sge * sizeof(struct ropcie_sge);
	int err;

	spin_lock_init(&rq->lock);
	err = ropcie_queue_create(&rq->queue, max_wr, entry_size, context);
	if (err)
		return err;
	rq->max_sge = max_sge;
	rq->max_wr = rq->queue.entry_count;
	rq->user = context;
	return 0;
}

int ropcie_receive_queue_post(struct ropcie_receive_queue *rq, const struct ib_recv_wr *wr)
{
	struct ropcie_receive_wqe *wqe;
	struct ropcie_sge *sges;
	unsigned long flags;
	u32 producer;
	int i, err = 0;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	spin_lock_irqsave(&rq->lock, flags);
	producer = rq->queue.control->producer;
	if (producer - rq->consumer >= rq->queue.entry_count) {
		err = -ENOMEM;
		goto out;
	}
	wqe = ropcie_queue_entry(&rq->queue, producer);
	sges = (struct ropcie_sge *)(wqe + 1);
	wqe->wr_id = wr->wr_id;
	wqe->sge_count = wr->num_sge;
	for (i = 0; i < wr->num_sge; i++) {
		sges[i].address = wr->sg_list[i].addr;
		sges[i].length = wr->sg_list[i].length;
		sges[i].lkey = wr->sg_list[i].lkey;
	}
	/* The request before the index. */
	smp_store_release(&rq->queue.control->producer, producer + 1);
out:
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

int ropcie_receive_queue_take(struct ropcie_receive_queue *rq, struct ropcie_receive *receive,
			      u32 *left)
{
	const struct ropcie_receive_wqe *wqe;
	unsigned long flags;
	u32 posted;
	int err = 0;

	spin_lock_irqsave(&rq->lock, flags);
	/* The index before the requests. */
	posted = smp_load_acquire(&rq->queue.control->producer) - rq->consumer;
	if (rq->malformed || posted > rq->queue.entry_count) {
		rq->malformed = true;
		err = -EINVAL;
		goto out;
	}
	if (!posted) {
		err = -EAGAIN;
		goto out;
	}

	/* The process may write it while this reads: each value is read once, then checked. */
	wqe = ropcie_queue_entry(&rq->queue, rq->consumer);
	receive->wr_id = READ_ONCE(wqe->wr_id);
	receive->sge_count = READ_ONCE(wqe->sge_count);
	if (receive->sge_count > rq->max_sge) {
		rq->malformed = true;
		err = -EINVAL;
		goto out;
	}
	memcpy(receive->sges, wqe + 1, receive->sge_count * sizeof(struct ropcie_sge));
	rq->consumer++;
	/* It has been read: the process may write there. */
	smp_store_release(&rq->queue.control->consumer, rq->consumer);
	if (left)
		*left = posted - 1;
out:
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

void ropcie_receive_queue_reset(struct ropcie_receive_queue *rq)
{
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	rq->malformed = false;
	rq->consumer = 0;
	WRITE_ONCE(rq->queue.control->consumer, 0);
	WRITE_ONCE(rq->queue.control->producer, 0);
	WRITE_ONCE(rq->queue.control->flags, 0);
	spin_unlock_irqrestore(&rq->lock, flags);
}
