// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs: coming and going, and what makes them run. */

#include "compat_rdma.h"
#include "requester.h"
#include "responder.h"

void ropcie_for_each_qp(struct ropcie_device *device,
			void (*visit)(struct ropcie_qp *qp, void *context), void *context)
{
	struct ropcie_object *object;
	unsigned long number;
	void *entry;

	xa_for_each(&device->qps.objects, number, entry) {
		object = ropcie_object_get(&device->qps, number);
		if (!object)
			continue;
		visit(object->owner, context);
		ropcie_object_put(object);
	}
}

void ropcie_qp_schedule(struct ropcie_qp *qp)
{
	queue_work(qp->device->workqueue, &qp->work);
}

static void run_responder(struct ropcie_qp *qp)
{
	struct ropcie_responder *responder = &qp->responder;
	bool more;

	spin_lock_bh(&responder->lock);
	more = ropcie_responses_send(qp, ROPCIE_RESPONDER_BUDGET);
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		if (responder->has_rq) {
			WRITE_ONCE(responder->rq.queue.control->flags, ROPCIE_NEED_WAKEUP);
			smp_mb();	/* the flag before the index: see ropcie_send_queue_fetch() */
		}
		more |= ropcie_responder_flush(qp);
	}
	spin_unlock_bh(&responder->lock);
	if (more)
		ropcie_qp_schedule(qp);
}

void ropcie_qp_run(struct ropcie_qp *qp)
{
	if (READ_ONCE(qp->state) == IB_QPS_RESET)
		return;
	run_responder(qp);
	ropcie_requester_kick(qp);
}

static void work(struct work_struct *work)
{
	ropcie_qp_run(container_of(work, struct ropcie_qp, work));
}

static bool change_state(struct ropcie_qp *qp, enum ib_qp_state to)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	while (state != IB_QPS_RESET && state != IB_QPS_ERR) {
		enum ib_qp_state seen = cmpxchg(&qp->state, state, to);

		if (seen == state)
			return true;
		state = seen;
	}
	return false;
}

void ropcie_qp_fail(struct ropcie_qp *qp)
{
	change_state(qp, IB_QPS_ERR);
	ropcie_qp_schedule(qp);
}

void ropcie_qp_fail_send(struct ropcie_qp *qp)
{
	change_state(qp, ropcie_qp_is_reliable(qp) ? IB_QPS_ERR : IB_QPS_SQE);
	ropcie_qp_schedule(qp);
}

void ropcie_qp_lost_peer(struct ropcie_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);
	struct ropcie_send_queue *sq = &qp->sq;

	if (state != IB_QPS_RTR && state != IB_QPS_RTS && state != IB_QPS_SQD)
		return;
	if (qp->has_sq) {
		spin_lock_bh(&sq->lock);
		if (sq->acked != sq->sent)
			ropcie_completer_fail(qp, IB_WC_RETRY_EXC_ERR);
		spin_unlock_bh(&sq->lock);
	}
	ropcie_qp_event(qp, IB_EVENT_QP_FATAL);
	ropcie_qp_fail(qp);
}

static void dispatch_events(struct work_struct *work)
{
	struct ropcie_qp *qp = container_of(work, struct ropcie_qp, event_work);
	struct ib_event event = {
		.device = &qp->device->ib,
		.element.qp = &qp->ib,
	};
	unsigned int bit;

	for (bit = 0; bit < BITS_PER_LONG; bit++) {
		if (!test_and_clear_bit(bit, &qp->events))
			continue;
		event.event = bit;
		if (qp->ib.event_handler)
			qp->ib.event_handler(&event, qp->ib.qp_context);
	}
}

void ropcie_qp_event(struct ropcie_qp *qp, enum ib_event_type event)
{
	set_bit(event, &qp->events);
	queue_work(qp->device->workqueue, &qp->event_work);
}

static int check(const struct ib_qp_init_attr *init, struct ropcie_qp *qp)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
		qp->service = ROPCIE_SERVICE_RC;
		break;
	case IB_QPT_UC:
		qp->service = ROPCIE_SERVICE_UC;
		break;
	case IB_QPT_UD:
	case IB_QPT_GSI:
		qp->service = ROPCIE_SERVICE_UD;
		break;
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		qp->service = ROPCIE_SERVICE_XRC;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags & ~IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK)
		return -EOPNOTSUPP;
	if (init->cap.max_send_wr > ROPCIE_MAX_QP_WR || init->cap.max_recv_wr > ROPCIE_MAX_QP_WR ||
	    init->cap.max_send_sge > ROPCIE_MAX_SGE || init->cap.max_recv_sge > ROPCIE_MAX_SGE ||
	    init->cap.max_inline_data > ROPCIE_MAX_INLINE)
		return -EINVAL;
	return 0;
}

static int create_send_queue(struct ropcie_qp *qp, struct ib_qp_init_attr *init,
			     struct ib_ucontext *context)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 sges = max(init->cap.max_send_sge, 1u);
	u32 data = max_t(u32, sges * sizeof(struct ropcie_sge),
			 round_up(init->cap.max_inline_data, 16));
	int err;

	spin_lock_init(&sq->lock);
	spin_lock_init(&sq->post_lock);
	timer_setup(&sq->timer, ropcie_requester_timeout, 0);
	ropcie_hrtimer_setup(&sq->rnr_timer, ropcie_requester_rnr_over, HRTIMER_MODE_REL_SOFT);
	qp->has_sq = init->qp_type != IB_QPT_XRC_TGT;
	if (!qp->has_sq)
		return 0;

	err = ropcie_queue_create(&sq->queue, init->cap.max_send_wr,
				  sizeof(struct ropcie_send_wqe) + data, context);
	if (err)
		return err;
	sq->requests = kvcalloc(sq->queue.entry_count, sizeof(*sq->requests), GFP_KERNEL_ACCOUNT);
	sq->wqes = sq->queue.entries;
	if (context)
		sq->wqes = kvcalloc(sq->queue.entry_count, sq->queue.entry_size,
				    GFP_KERNEL_ACCOUNT);
	if (!sq->requests || !sq->wqes)
		return -ENOMEM;
	sq->max_sge = sges;
	sq->max_inline = min_t(u32, data, ROPCIE_MAX_INLINE);
	sq->max_wr = sq->queue.entry_count;
	sq->signal_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	ropcie_send_queue_reset(qp);

	init->cap.max_send_wr = sq->max_wr;
	init->cap.max_send_sge = sq->max_sge;
	init->cap.max_inline_data = sq->max_inline;
	return 0;
}

static int create_receive_queue(struct ropcie_qp *qp, struct ib_qp_init_attr *init,
				struct ib_ucontext *context)
{
	struct ropcie_responder *responder = &qp->responder;
	int err;

	spin_lock_init(&responder->lock);
	if (qp->service == ROPCIE_SERVICE_XRC || init->srq || !init->cap.max_recv_wr) {
		init->cap.max_recv_wr = 0;
		init->cap.max_recv_sge = 0;
		return 0;
	}
	err = ropcie_receive_queue_create(&responder->rq, init->cap.max_recv_wr,
					  max(init->cap.max_recv_sge, 1u), context);
	if (err)
		return err;
	responder->has_rq = true;
	init->cap.max_recv_wr = responder->rq.max_wr;
	init->cap.max_recv_sge = responder->rq.max_sge;
	return 0;
}

static void free_queues(struct ropcie_qp *qp)
{
	if (qp->sq.wqes != qp->sq.queue.entries)
		kvfree(qp->sq.wqes);
	kvfree(qp->sq.requests);
	ropcie_queue_destroy(&qp->sq.queue);
	ropcie_queue_destroy(&qp->responder.rq.queue);
	kfree(qp->responder.responses);
}

static int answer(struct ropcie_qp *qp, struct ib_udata *udata)
{
	struct ropcie_create_qp_resp resp = {};

	if (!udata)
		return 0;
	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	ropcie_queue_describe(&qp->sq.queue, &resp.send);
	ropcie_queue_describe(&qp->responder.rq.queue, &resp.receive);
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

int ropcie_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct ropcie_ucontext *ucontext =
		rdma_udata_to_drv_context(udata, struct ropcie_ucontext, ib);
	struct ib_ucontext *context = ucontext ? &ucontext->ib : NULL;
	struct ropcie_device *device = to_ropcie_device(ib->device);
	struct ropcie_qp *qp = to_ropcie_qp(ib);
	int err;

	err = check(init, qp);
	if (err)
		return err;
	qp->device = device;
	qp->user = udata;
	qp->state = IB_QPS_RESET;
	qp->block_loopback = init->create_flags & IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	qp->send_cq = init->send_cq ? to_ropcie_cq(init->send_cq) : NULL;
	qp->recv_cq = init->recv_cq ? to_ropcie_cq(init->recv_cq) : NULL;
	qp->srq = init->srq ? to_ropcie_srq(init->srq) : NULL;
	mutex_init(&qp->modify_mutex);
	INIT_WORK(&qp->work, work);
	INIT_WORK(&qp->event_work, dispatch_events);
	INIT_LIST_HEAD(&qp->blocked);

	if (init->qp_type == IB_QPT_GSI)
		qp->object = ropcie_object_create_at(&device->qps, 1, qp);
	else
		qp->object = ropcie_object_create(&device->qps, qp);
	if (IS_ERR(qp->object))
		return PTR_ERR(qp->object);
	ib->qp_num = qp->object->number;
	qp->accessor.pd = ib->pd;
	qp->accessor.qp_number = ib->qp_num;
	/* XRC targets have keys of processes alone. */
	qp->accessor.user = udata || init->qp_type == IB_QPT_XRC_TGT;

	err = create_send_queue(qp, init, context);
	if (!err)
		err = create_receive_queue(qp, init, context);
	if (!err)
		err = answer(qp, udata);
	if (err) {
		ropcie_object_destroy(&device->qps, qp->object);
		free_queues(qp);
		return err;
	}
	qp->attr.cap = init->cap;
	ropcie_object_publish(&device->qps, qp->object);
	return 0;
}

int ropcie_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct ropcie_qp *qp = to_ropcie_qp(ib);

	/* Nothing comes in any more after this. */
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	ropcie_object_destroy(&qp->device->qps, qp->object);
	ropcie_qp_quiesce(qp);
	cancel_work_sync(&qp->event_work);
	spin_lock_bh(&qp->responder.lock);
	if (qp->responder.receive_srq)
		ropcie_object_put(qp->responder.receive_srq->object);
	spin_unlock_bh(&qp->responder.lock);
	if (qp->peer)
		ropcie_peer_put(qp->peer);
	free_queues(qp);
	return 0;
}

void ropcie_qp_quiesce(struct ropcie_qp *qp)
{
	unsigned int i;

	/*
	 * What ran before it could see the state may have started any of the others, which do nothing but see it: hence
	 * twice.
	 */
	for (i = 0; i < 2; i++) {
		ropcie_qp_unblock(qp);
		cancel_work_sync(&qp->work);
		hrtimer_cancel(&qp->sq.rnr_timer);
		del_timer_sync(&qp->sq.timer);
	}
}

int ropcie_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct ropcie_qp *qp = to_ropcie_qp(ib);
	int err = 0;

	if (qp->user || !qp->responder.has_rq || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad = wr;
		return qp->user ? -EOPNOTSUPP : -EINVAL;
	}
	for (; wr; wr = wr->next) {
		err = ropcie_receive_queue_post(&qp->responder.rq, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	smp_mb();	/* the index before the state: what flushes does it the other way round */
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		ropcie_qp_schedule(qp);
	return err;
}
