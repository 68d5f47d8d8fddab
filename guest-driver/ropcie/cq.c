// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues. */

#include <linux/ktime.h>

#include "cq.h"
#include "device.h"

static void notify(struct ropcie_cq *cq)
{
	cq->pending = 0;
	if (!cq->user)
		tasklet_schedule(&cq->tasklet);
	else if (cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

static void notify_kernel_user(struct tasklet_struct *tasklet)
{
	struct ropcie_cq *cq = from_tasklet(cq, tasklet, tasklet);

	if (cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

static enum ropcie_arm armed(struct ropcie_cq *cq)
{
	return cq->user ? READ_ONCE(cq->queue.control->arm) : cq->arm;
}

static void disarm(struct ropcie_cq *cq)
{
	if (cq->user)
		WRITE_ONCE(cq->queue.control->arm, ROPCIE_ARM_NONE);
	else
		cq->arm = ROPCIE_ARM_NONE;
}

static enum hrtimer_restart period_over(struct hrtimer *timer)
{
	struct ropcie_cq *cq = container_of(timer, struct ropcie_cq, timer);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->pending && armed(cq) != ROPCIE_ARM_NONE) {
		disarm(cq);
		notify(cq);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return HRTIMER_NORESTART;
}

/* The queue is locked, and has a completion more. */
static void consider_notification(struct ropcie_cq *cq, const struct ropcie_cqe *cqe)
{
	enum ropcie_arm arm;

	smp_mb();	/* the producer's index before arm: the process does it the other way round */
	arm = armed(cq);
	if (arm == ROPCIE_ARM_NONE)
		return;
	if (arm == ROPCIE_ARM_SOLICITED && !cqe->solicited && cqe->status == IB_WC_SUCCESS)
		return;

	cq->pending++;
	if (cq->event_count > 1 && cq->event_period && cq->pending < cq->event_count) {
		if (cq->pending == 1)
			hrtimer_start(&cq->timer, ns_to_ktime(cq->event_period * NSEC_PER_USEC),
				      HRTIMER_MODE_REL);
		return;
	}
	disarm(cq);
	notify(cq);
}

static void overflow(struct work_struct *work)
{
	struct ropcie_cq *cq = container_of(work, struct ropcie_cq, overflow_work);
	struct ib_event event = {
		.device = cq->ib.device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = &cq->ib,
	};

	ibdev_err_ratelimited(cq->ib.device, "CQ %u has no room for a completion\n",
			      cq->ib.res.id);
	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

/* Under the lock. What a process has read may be written over. */
static u32 consumer_of(struct ropcie_cq *cq)
{
	return cq->user ? smp_load_acquire(&cq->queue.control->consumer) : cq->consumer;
}

void ropcie_cq_push(struct ropcie_cq *cq, const struct ropcie_cqe *cqe)
{
	struct ropcie_device *device = to_ropcie_device(cq->ib.device);
	struct ropcie_cqe *slot;
	unsigned long flags;
	u32 consumer;

	spin_lock_irqsave(&cq->lock, flags);
	consumer = consumer_of(cq);
	if (cq->overflowed || cq->producer - consumer >= cq->queue.entry_count) {
		ropcie_count(device, ROPCIE_CQ_OVERFLOWS);
		if (cq->ignore_overrun)
			goto out;
		if (!cq->overflowed)
			queue_work(device->workqueue, &cq->overflow_work);
		cq->overflowed = true;
		goto out;
	}

	slot = ropcie_queue_entry(&cq->queue, cq->producer);
	*slot = *cqe;
	slot->timestamp = cq->timestamps ? ktime_get_real_ns() : 0;
	if (cq->user)
		slot->qp = 0;
	cq->producer++;
	/* The completion before the index. */
	smp_store_release(&cq->queue.control->producer, cq->producer);
	consider_notification(cq, cqe);
out:
	spin_unlock_irqrestore(&cq->lock, flags);
}

int ropcie_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		     ROPCIE_CREATE_CQ_UDATA *attrs)
{
	struct ib_udata *udata = ropcie_create_cq_udata(attrs);
	struct ropcie_ucontext *context =
		rdma_udata_to_drv_context(udata, struct ropcie_ucontext, ib);
	struct ropcie_create_cq_resp resp = {};
	struct ropcie_cq *cq = to_ropcie_cq(ib);
	int err;

	if (attr->flags & ~(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
			    IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN))
		return -EOPNOTSUPP;
	if (attr->cqe < 1 || attr->cqe > ROPCIE_MAX_CQE)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;

	cq->user = udata;
	cq->timestamps = attr->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	cq->ignore_overrun = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize_mutex);
	ropcie_hrtimer_setup(&cq->timer, period_over, HRTIMER_MODE_REL);
	tasklet_setup(&cq->tasklet, notify_kernel_user);
	INIT_WORK(&cq->overflow_work, overflow);

	err = ropcie_queue_create(&cq->queue, attr->cqe, sizeof(struct ropcie_cqe),
				  context ? &context->ib : NULL);
	if (err)
		return err;
	if (udata) {
		ropcie_queue_describe(&cq->queue, &resp.ring);
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err) {
			ropcie_queue_destroy(&cq->queue);
			return err;
		}
	}
	ib->cqe = cq->queue.entry_count;
	return 0;
}

int ropcie_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct ropcie_cq *cq = to_ropcie_cq(ib);

	hrtimer_cancel(&cq->timer);
	tasklet_kill(&cq->tasklet);
	cancel_work_sync(&cq->overflow_work);
	ropcie_queue_destroy(&cq->queue);
	return 0;
}

int ropcie_resize_cq(struct ib_cq *ib, int entries, struct ib_udata *udata)
{
	struct ropcie_ucontext *context =
		rdma_udata_to_drv_context(udata, struct ropcie_ucontext, ib);
	struct ropcie_resize_cq_resp resp = {};
	struct ropcie_cq *cq = to_ropcie_cq(ib);
	struct ropcie_queue queue;
	unsigned long flags;
	u32 consumer, copied, used;
	int err;

	if (entries < 1 || entries > ROPCIE_MAX_CQE || (udata && udata->outlen < sizeof(resp)))
		return -EINVAL;
	err = ropcie_queue_create(&queue, entries, sizeof(struct ropcie_cqe),
				  context ? &context->ib : NULL);
	if (err)
		return err;
	if (udata) {
		ropcie_queue_describe(&queue, &resp.ring);
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
		if (err)
			goto out;
	}

	/*
	 * There may be much to copy: with interrupts on, and what comes meanwhile, later. A process holds the lock of its
	 * side: its index stands still.
	 */
	mutex_lock(&cq->resize_mutex);
	spin_lock_irqsave(&cq->lock, flags);
	consumer = consumer_of(cq);
	copied = cq->producer;
	spin_unlock_irqrestore(&cq->lock, flags);
	ropcie_queue_copy(&queue, &cq->queue, consumer, copied);

	spin_lock_irqsave(&cq->lock, flags);
	consumer = consumer_of(cq);
	used = cq->producer - consumer;
	if (used > queue.entry_count || used > cq->queue.entry_count) {
		err = -EINVAL;
	} else {
		ropcie_queue_copy(&queue, &cq->queue, copied, cq->producer);
		queue.control->producer = cq->producer;
		queue.control->consumer = consumer;
		queue.control->arm = READ_ONCE(cq->queue.control->arm);
		swap(cq->queue, queue);
		ib->cqe = cq->queue.entry_count;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	mutex_unlock(&cq->resize_mutex);
out:
	ropcie_queue_destroy(&queue);
	return err;
}

int ropcie_modify_cq(struct ib_cq *ib, u16 count, u16 period)
{
	struct ropcie_cq *cq = to_ropcie_cq(ib);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->event_count = count;
	cq->event_period = period;
	spin_unlock_irqrestore(&cq->lock, flags);
	return 0;
}

static void to_ib_wc(const struct ropcie_cqe *cqe, struct ib_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	/* What IB_WC_* has beyond those of processes is REG_MR alone. */
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_error;
	wc->byte_len = cqe->byte_count;
	wc->qp = (struct ib_qp *)(uintptr_t)cqe->qp;
	wc->src_qp = cqe->source_qp;
	wc->port_num = 1;
	if (cqe->flags & ROPCIE_CQE_GRH) {
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = RDMA_NETWORK_IPV6;
	}
	if (cqe->flags & ROPCIE_CQE_WITH_INVALIDATE) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = cqe->immediate;
	} else if (cqe->flags & ROPCIE_CQE_WITH_IMMEDIATE) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = (__force __be32)cqe->immediate;
	}
}

int ropcie_poll_cq(struct ib_cq *ib, int max, struct ib_wc *wc)
{
	struct ropcie_cq *cq = to_ropcie_cq(ib);
	unsigned long flags;
	int count = 0;

	if (cq->user)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&cq->lock, flags);
	while (count < max && cq->consumer != cq->producer)
		to_ib_wc(ropcie_queue_entry(&cq->queue, cq->consumer++), &wc[count++]);
	spin_unlock_irqrestore(&cq->lock, flags);
	return count;
}

int ropcie_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct ropcie_cq *cq = to_ropcie_cq(ib);
	enum ropcie_arm arm;
	unsigned long irq;
	int missed = 0;

	arm = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED ?
		ROPCIE_ARM_SOLICITED : ROPCIE_ARM_ANY;
	if (cq->user)
		return -EOPNOTSUPP;	/* a process arms in the ring */
	spin_lock_irqsave(&cq->lock, irq);
	cq->arm = max(cq->arm, arm);
	if ((flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->consumer != cq->producer)
		missed = 1;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}
