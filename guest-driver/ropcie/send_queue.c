// SPDX-License-Identifier: GPL-2.0-only
/* Send queues: posting by kernel users, fetching what was posted, flushing. */

#include "ah.h"
#include "mr.h"
#include "requester.h"

static u32 flags_of(int send_flags)
{
	u32 flags = 0;

	if (send_flags & IB_SEND_FENCE)
		flags |= ROPCIE_WR_FENCE;
	if (send_flags & IB_SEND_SIGNALED)
		flags |= ROPCIE_WR_SIGNALED;
	if (send_flags & IB_SEND_SOLICITED)
		flags |= ROPCIE_WR_SOLICITED;
	if (send_flags & IB_SEND_INLINE)
		flags |= ROPCIE_WR_INLINE;
	return flags;
}

static void translate_target(struct ropcie_qp *qp, struct ropcie_send_wqe *wqe,
			     const struct ib_send_wr *wr)
{
	switch ((u32)wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
	case ROPCIE_WR_ATOMIC_WRITE:	/* no name in the kernel before 6.2 */
		wqe->rdma.address = rdma_wr(wr)->remote_addr;
		wqe->rdma.rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wqe->atomic.address = atomic_wr(wr)->remote_addr;
		wqe->atomic.rkey = atomic_wr(wr)->rkey;
		wqe->atomic.compare_add = atomic_wr(wr)->compare_add;
		wqe->atomic.swap = atomic_wr(wr)->swap;
		break;
	case IB_WR_REG_MR:
		wqe->reg.mr = (uintptr_t)container_of(reg_wr(wr)->mr, struct ropcie_mr, ib);
		wqe->reg.key = reg_wr(wr)->key;
		wqe->reg.access = reg_wr(wr)->access;
		break;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		if (qp->service != ROPCIE_SERVICE_UD)
			break;
		wqe->datagram.ah = to_ropcie_ah(ud_wr(wr)->ah)->vector->number;
		wqe->datagram.qp_number = ud_wr(wr)->remote_qpn;
		wqe->datagram.qkey = ud_wr(wr)->remote_qkey;
		break;
	default:
		break;
	}
}

static int copy_inline(struct ropcie_qp *qp, struct ropcie_send_wqe *wqe,
		       const struct ib_send_wr *wr)
{
	void *data = wqe + 1;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->sq.max_inline - wqe->inline_length)
			return -EINVAL;
		memcpy(data + wqe->inline_length, (void *)(uintptr_t)sge->addr, sge->length);
		wqe->inline_length += sge->length;
	}
	return 0;
}

static int translate(struct ropcie_qp *qp, struct ropcie_send_wqe *wqe,
		     const struct ib_send_wr *wr)
{
	struct ropcie_sge *sges = (struct ropcie_sge *)(wqe + 1);
	int i;

	if (wr->num_sge < 0 || wr->num_sge > qp->sq.max_sge)
		return -EINVAL;
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = flags_of(wr->send_flags);
	wqe->immediate = (__force u32)wr->ex.imm_data;
	translate_target(qp, wqe, wr);
	if (wr->send_flags & IB_SEND_INLINE)
		return copy_inline(qp, wqe, wr);

	wqe->sge_count = wr->num_sge;
	for (i = 0; i < wr->num_sge; i++) {
		sges[i].address = wr->sg_list[i].addr;
		sges[i].length = wr->sg_list[i].length;
		sges[i].lkey = wr->sg_list[i].lkey;
	}
	return 0;
}

static int post_kernel(struct ropcie_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad)
{
	struct ropcie_send_queue *sq = &qp->sq;
	enum ib_qp_state state = READ_ONCE(qp->state);
	unsigned long flags;
	u32 producer;
	int err = 0;

	*bad = wr;
	if (!qp->has_sq || state == IB_QPS_RESET || state == IB_QPS_INIT || state == IB_QPS_RTR)
		return -EINVAL;

	spin_lock_irqsave(&sq->post_lock, flags);
	producer = sq->queue.control->producer;
	for (; wr; wr = wr->next) {
		/* What is written over has been read: see ropcie_completer_retire(). */
		if (producer - smp_load_acquire(&sq->done) >= sq->max_wr) {
			err = -ENOMEM;
			break;
		}
		err = translate(qp, ropcie_queue_entry(&sq->queue, producer), wr);
		if (err)
			break;
		producer++;
	}
	*bad = wr;
	/* The requests before the index. */
	smp_store_release(&sq->queue.control->producer, producer);
	spin_unlock_irqrestore(&sq->post_lock, flags);
	return err;
}

int ropcie_post_send(struct ib_qp *ib, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct ropcie_qp *qp = to_ropcie_qp(ib);
	int err = 0;

	if (qp->user) {
		/* A process has posted in its ring; this wakes the kernel. */
		*bad = wr;
		if (wr)
			return -EOPNOTSUPP;
		ropcie_count(qp->device, ROPCIE_WAKEUPS);
	} else {
		err = post_kernel(qp, wr, bad);
	}

	/* In ERR a process may have posted to be received, too: the work flushes both. */
	if (irqs_disabled() || READ_ONCE(qp->state) == IB_QPS_ERR)
		ropcie_qp_schedule(qp);
	else
		ropcie_requester_kick(qp);
	return err;
}

static void set_wakeup(struct ropcie_send_queue *sq, u32 flags)
{
	if (READ_ONCE(sq->queue.control->flags) != flags)
		WRITE_ONCE(sq->queue.control->flags, flags);
}

bool ropcie_send_queue_fetch(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 posted;

	/* The index before the requests. */
	posted = smp_load_acquire(&sq->queue.control->producer) - sq->fetched;
	if (!posted) {
		set_wakeup(sq, ROPCIE_NEED_WAKEUP);
		smp_mb();	/* the flag before the index: the process does it the other way round */
		posted = smp_load_acquire(&sq->queue.control->producer) - sq->fetched;
		if (!posted)
			return false;
	}
	set_wakeup(sq, 0);

	if (posted > sq->queue.entry_count - (sq->fetched - sq->done)) {
		ropcie_count(qp->device, ROPCIE_BAD_RINGS);
		ibdev_warn_ratelimited(&qp->device->ib, "QP %u: malformed send queue\n",
				       qp->ib.qp_num);
		/* What the process has posted cannot be told any more: there is nothing to complete. */
		sq->fetched = smp_load_acquire(&sq->queue.control->producer);
		sq->next = sq->fetched;
		sq->done = sq->fetched;
		ropcie_qp_event(qp, IB_EVENT_QP_FATAL);
		ropcie_qp_fail(qp);
		return false;
	}

	if (qp->user)
		memcpy(ropcie_qp_wqe(qp, sq->fetched),
		       ropcie_queue_entry(&sq->queue, sq->fetched), sq->queue.entry_size);
	memset(ropcie_qp_request(qp, sq->fetched), 0, sizeof(struct ropcie_request));
	sq->fetched++;
	return true;
}

bool ropcie_send_queue_flush(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 budget = ROPCIE_FLUSH_BUDGET;
	bool more = false;

	ropcie_completer_retire(qp);
	for (;;) {
		struct ropcie_request *request;

		if (sq->done == sq->fetched) {
			more = !budget--;
			if (more || !ropcie_send_queue_fetch(qp))
				break;
		}
		request = ropcie_qp_request(qp, sq->done);
		if (!request->complete) {
			request->complete = true;
			request->status = IB_WC_WR_FLUSH_ERR;
		}
		ropcie_completer_retire(qp);
	}
	sq->next = sq->done;
	sq->answers = 0;
	sq->acked = sq->begin;
	sq->sent = sq->begin;
	sq->psn = sq->begin;
	return more;
}

void ropcie_send_queue_reset(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;

	sq->fetched = 0;
	sq->next = 0;
	sq->done = 0;
	sq->answers = 0;
	sq->rnr_wait = false;
	sq->stalled = false;
	sq->drained_event = false;
	WRITE_ONCE(sq->queue.control->consumer, 0);
	WRITE_ONCE(sq->queue.control->producer, 0);
	WRITE_ONCE(sq->queue.control->flags, ROPCIE_NEED_WAKEUP);
}
