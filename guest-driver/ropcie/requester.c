// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester: cuts requests into packets of ROPCIE_MTU, and sends them as far as the peer, its own limits, fences and
 * room allow. Packets that are not acknowledged are sent again from the work requests, which stay until then.
 */

#include "mr.h"
#include "requester.h"

/* Packets of one queue pair under way, unless one request has more. */
#define WINDOW		256
/* Packet sequence numbers under way: well within half of them. */
#define PSN_WINDOW	0x200000

enum verdict {
	GO,
	WAIT,		/* something under way has to end first */
	BROKEN,		/* the request itself: it has its status */
};

static bool is_local(u32 opcode)
{
	return opcode == ROPCIE_WR_LOCAL_INVALIDATE || opcode == ROPCIE_WR_BIND_MW ||
	       opcode == ROPCIE_WR_REGISTER_MR;
}

static bool is_supported(const struct ropcie_qp *qp, u32 opcode)
{
	switch (opcode) {
	case ROPCIE_WR_SEND:
	case ROPCIE_WR_SEND_WITH_IMM:
		return true;
	case ROPCIE_WR_WRITE:
	case ROPCIE_WR_WRITE_WITH_IMM:
	case ROPCIE_WR_SEND_WITH_INVALIDATE:
	case ROPCIE_WR_LOCAL_INVALIDATE:
	case ROPCIE_WR_BIND_MW:
		return qp->service != ROPCIE_SERVICE_UD;
	case ROPCIE_WR_REGISTER_MR:
		return !qp->user && qp->service != ROPCIE_SERVICE_UD;
	case ROPCIE_WR_READ_WITH_INVALIDATE:
		return !qp->user && ropcie_qp_is_reliable(qp);
	case ROPCIE_WR_READ:
	case ROPCIE_WR_COMPARE_SWAP:
	case ROPCIE_WR_FETCH_ADD:
	case ROPCIE_WR_ATOMIC_WRITE:
	case ROPCIE_WR_FLUSH:
		return ropcie_qp_is_reliable(qp);
	default:
		return false;
	}
}

/* What the work request says, which may be of a process: its length, or that it makes no sense. */
static enum ib_wc_status check(struct ropcie_qp *qp, const struct ropcie_send_wqe *wqe, u32 *length)
{
	const struct ropcie_sge *sges = (const struct ropcie_sge *)(wqe + 1);
	u64 sum = 0;
	u32 i;

	if (!is_supported(qp, wqe->opcode))
		return IB_WC_LOC_QP_OP_ERR;
	if (wqe->flags & ROPCIE_WR_INLINE) {
		if (wqe->inline_length > qp->sq.max_inline ||
		    !(ropcie_wr_is_send(wqe->opcode) || ropcie_wr_is_write(wqe->opcode) ||
		      wqe->opcode == ROPCIE_WR_ATOMIC_WRITE))
			return IB_WC_LOC_QP_OP_ERR;
		sum = wqe->inline_length;
	} else {
		if (wqe->sge_count > qp->sq.max_sge)
			return IB_WC_LOC_QP_OP_ERR;
		for (i = 0; i < wqe->sge_count; i++)
			sum += sges[i].length;
	}
	if (is_local(wqe->opcode) || wqe->opcode == ROPCIE_WR_FLUSH)
		sum = 0;
	if (sum > (qp->service == ROPCIE_SERVICE_UD ? ROPCIE_MTU : ROPCIE_MAX_MESSAGE))
		return IB_WC_LOC_LEN_ERR;
	if ((ropcie_wr_is_atomic(wqe->opcode) || wqe->opcode == ROPCIE_WR_ATOMIC_WRITE) && sum != 8)
		return IB_WC_LOC_LEN_ERR;
	*length = sum;
	return IB_WC_SUCCESS;
}

static enum ib_wc_status run_local(struct ropcie_qp *qp, const struct ropcie_send_wqe *wqe)
{
	if (wqe->opcode == ROPCIE_WR_BIND_MW)
		return ropcie_mw_bind(qp->device, &qp->accessor, wqe) ?
			IB_WC_MW_BIND_ERR : IB_WC_SUCCESS;
	if (wqe->opcode == ROPCIE_WR_LOCAL_INVALIDATE)
		return ropcie_key_invalidate(qp->device, &qp->accessor, wqe->immediate) ?
			IB_WC_LOC_QP_OP_ERR : IB_WC_SUCCESS;
	return ropcie_mr_fast_register(qp->device, &qp->accessor, wqe) ?
		IB_WC_LOC_QP_OP_ERR : IB_WC_SUCCESS;
}

/* The next request: may it begin, and with which packets? */
static enum verdict begin(struct ropcie_qp *qp, struct ropcie_request *request,
			  const struct ropcie_send_wqe *wqe)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 outstanding = ropcie_psn_difference(sq->begin, sq->acked);
	u32 length = 0;
	enum ib_wc_status status = check(qp, wqe, &length);

	if (status != IB_WC_SUCCESS)
		goto broken;

	if ((ropcie_wr_is_read(wqe->opcode) || ropcie_wr_is_atomic(wqe->opcode)) &&
	    !qp->attr.max_rd_atomic) {
		status = IB_WC_LOC_QP_OP_ERR;
		goto broken;
	}
	request->answered = ropcie_wr_is_read(wqe->opcode) || ropcie_wr_is_atomic(wqe->opcode);
	if ((wqe->flags & ROPCIE_WR_FENCE) && sq->answers)
		return WAIT;
	if (request->answered && sq->answers >= qp->attr.max_rd_atomic)
		return WAIT;
	/* What is invalidated may be in use by requests before. */
	if (wqe->opcode == ROPCIE_WR_LOCAL_INVALIDATE && sq->done != sq->next)
		return WAIT;

	if (is_local(wqe->opcode)) {
		status = run_local(qp, wqe);
		if (status != IB_WC_SUCCESS)
			goto broken;
		request->begun = true;
		request->complete = true;
		return GO;
	}

	request->length = length;
	request->packets = max_t(u32, DIV_ROUND_UP(length, ROPCIE_MTU), 1);
	if (outstanding && outstanding + request->packets > PSN_WINDOW)
		return WAIT;
	request->first_psn = sq->begin;
	sq->begin = ropcie_psn_add(sq->begin, request->packets);
	request->begun = true;
	if (request->answered) {
		sq->answers++;
		ropcie_count(qp->device, ropcie_wr_is_atomic(wqe->opcode) ? ROPCIE_SENT_ATOMICS :
								    ROPCIE_SENT_READS);
	}
	return GO;

broken:
	request->begun = true;
	request->complete = true;
	request->status = status;
	return BROKEN;
}

static void start_timer(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;

	if (!qp->attr.timeout)
		return;
	if (sq->acked == sq->psn)
		sq->progress = jiffies;
	if (!timer_pending(&sq->timer))
		mod_timer(&sq->timer, jiffies + ropcie_requester_patience(qp));
}

/* A packet of the request is on its way. */
static void advance(struct ropcie_qp *qp, struct ropcie_request *request, bool read)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 end = ropcie_psn_add(request->first_psn, request->packets);

	if (ropcie_qp_is_reliable(qp))
		start_timer(qp);
	sq->psn = read ? end : ropcie_psn_add(sq->psn, 1);
	if (ropcie_psn_difference(sq->psn, sq->sent) > 0)
		sq->sent = sq->psn;
	if (sq->psn != end)
		return;
	sq->next++;
	if (!ropcie_qp_is_reliable(qp)) {
		sq->acked = sq->psn;
		request->complete = true;
		ropcie_completer_retire(qp);
	}
}

static bool may_run(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (sq->rnr_wait || sq->stalled || !list_empty_careful(&qp->blocked))
		return false;
	if (state == IB_QPS_RTS)
		return true;
	/* What has begun ends. */
	return state == IB_QPS_SQD && sq->next != sq->fetched &&
	       ropcie_qp_request(qp, sq->next)->begun;
}

bool ropcie_requester_run(struct ropcie_qp *qp, unsigned int budget)
{
	struct ropcie_send_queue *sq = &qp->sq;

	for (; budget; budget--) {
		struct ropcie_request *request;
		struct ropcie_send_wqe *wqe;
		int err;

		if (!may_run(qp))
			return false;
		if (sq->next == sq->fetched && !ropcie_send_queue_fetch(qp))
			return false;
		request = ropcie_qp_request(qp, sq->next);
		wqe = ropcie_qp_wqe(qp, sq->next);

		if (!request->begun) {
			enum verdict verdict = begin(qp, request, wqe);

			if (verdict == WAIT)
				return false;
			if (verdict == BROKEN)
				goto broken;
		} else if (request->status != IB_WC_SUCCESS) {
			goto broken;	/* what is before it has been sent again */
		}
		if (!request->packets) {
			sq->next++;
			ropcie_completer_retire(qp);
			continue;
		}
		if (!request->answered && ropcie_psn_difference(sq->psn, sq->acked) >= WINDOW)
			return false;
		err = ropcie_requester_send(qp, request, wqe);
		if (err == -EAGAIN)
			return false;
		if (err) {
			request->status = err == -EINVAL ? IB_WC_LOC_QP_OP_ERR : IB_WC_LOC_PROT_ERR;
			goto broken;
		}
		advance(qp, request, ropcie_wr_is_read(wqe->opcode));
		continue;
broken:
		/* It ends in error as soon as all before it have ended. */
		request->complete = true;
		sq->stalled = true;
		ropcie_completer_retire(qp);
		return false;
	}
	return true;
}

void ropcie_requester_kick(struct ropcie_qp *qp)
{
	enum ib_qp_state state;
	bool more;

	if (!qp->has_sq)
		return;
	spin_lock_bh(&qp->sq.lock);
	/* Under the lock: who posted before it sees the state, or what flushes sees what was posted. */
	state = READ_ONCE(qp->state);
	if (state == IB_QPS_ERR || state == IB_QPS_SQE)
		more = ropcie_send_queue_flush(qp);
	else
		more = ropcie_requester_run(qp, ROPCIE_REQUESTER_BUDGET);
	spin_unlock_bh(&qp->sq.lock);
	if (more)
		ropcie_qp_schedule(qp);
}

void ropcie_requester_rewind(struct ropcie_qp *qp, u32 psn)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 index;

	for (index = sq->done; index != sq->fetched; index++) {
		struct ropcie_request *request = ropcie_qp_request(qp, index);

		if (!request->begun)
			break;
		if (request->packets &&
		    ropcie_psn_difference(psn, request->first_psn) < (s32)request->packets) {
			sq->next = index;
			sq->psn = psn;
			sq->stalled = false;	/* it stops there again */
			return;
		}
	}
}
