// SPDX-License-Identifier: GPL-2.0-only
/* The completer: takes acknowledgements and answers, and completes requests in their order. */

#include "mr.h"
#include "requester.h"

static const u8 completion_opcodes[] = {
	[ROPCIE_WR_WRITE]			= IB_WC_RDMA_WRITE,
	[ROPCIE_WR_WRITE_WITH_IMM]		= IB_WC_RDMA_WRITE,
	[ROPCIE_WR_SEND]			= IB_WC_SEND,
	[ROPCIE_WR_SEND_WITH_IMM]		= IB_WC_SEND,
	[ROPCIE_WR_SEND_WITH_INVALIDATE]	= IB_WC_SEND,
	[ROPCIE_WR_READ]			= IB_WC_RDMA_READ,
	[ROPCIE_WR_READ_WITH_INVALIDATE]	= IB_WC_RDMA_READ,
	[ROPCIE_WR_COMPARE_SWAP]		= IB_WC_COMP_SWAP,
	[ROPCIE_WR_FETCH_ADD]			= IB_WC_FETCH_ADD,
	[ROPCIE_WR_LOCAL_INVALIDATE]		= IB_WC_LOCAL_INV,
	[ROPCIE_WR_BIND_MW]			= IB_WC_BIND_MW,
	[ROPCIE_WR_FLUSH]			= ROPCIE_WC_FLUSH,
	[ROPCIE_WR_ATOMIC_WRITE]		= ROPCIE_WC_ATOMIC_WRITE,
	[ROPCIE_WR_REGISTER_MR]			= IB_WC_REG_MR,
};

/* IBA table "RNR NAK timer field encoding", in microseconds. */
static const u32 rnr_microseconds[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840,
	5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760,
	327680, 491520,
};

static void describe(struct ropcie_qp *qp, const struct ropcie_send_wqe *wqe,
		     const struct ropcie_request *request, struct ropcie_cqe *cqe)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->wr_id = wqe->wr_id;
	cqe->byte_count = request->length;
	cqe->qp_number = qp->ib.qp_num;
	cqe->status = request->status;
	cqe->qp = (uintptr_t)&qp->ib;
	if (wqe->opcode < ARRAY_SIZE(completion_opcodes))
		cqe->opcode = completion_opcodes[wqe->opcode];
}

void ropcie_completer_retire(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;

	while (sq->done != sq->fetched) {
		struct ropcie_request *request = ropcie_qp_request(qp, sq->done);
		struct ropcie_send_wqe *wqe = ropcie_qp_wqe(qp, sq->done);
		bool failed = request->status != IB_WC_SUCCESS;
		bool flushed = request->status == IB_WC_WR_FLUSH_ERR;
		struct ropcie_cqe cqe;
		bool tell;

		if (!request->complete)
			break;
		tell = failed || sq->signal_all || (wqe->flags & ROPCIE_WR_SIGNALED);
		if (tell)
			describe(qp, wqe, request, &cqe);

		if (sq->next == sq->done)
			sq->next++;
		/* It has been read: there is room for another request. */
		smp_store_release(&sq->done, sq->done + 1);
		/* Then who would post it is told. */
		smp_store_release(&sq->queue.control->consumer, sq->done);
		if (tell)
			ropcie_cq_push(qp->send_cq, &cqe);
		if (failed && !flushed) {
			ropcie_qp_fail_send(qp);
			break;
		}
	}
	if (sq->drained_event && sq->done == sq->next && READ_ONCE(qp->state) == IB_QPS_SQD) {
		sq->drained_event = false;
		ropcie_qp_event(qp, IB_EVENT_SQ_DRAINED);
	}
}

void ropcie_completer_fail(struct ropcie_qp *qp, enum ib_wc_status status)
{
	struct ropcie_send_queue *sq = &qp->sq;
	struct ropcie_request *request;

	ropcie_completer_retire(qp);
	if (sq->done == sq->fetched) {
		ropcie_qp_fail(qp);
		return;
	}
	request = ropcie_qp_request(qp, sq->done);
	request->complete = true;
	request->status = status;
	ropcie_completer_retire(qp);
}

static void progressed(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;

	sq->progress = jiffies;
	sq->retries = qp->attr.retry_cnt;
	sq->rnr_retries = qp->attr.rnr_retry;
}

/*
 * All packets before @psn have been taken by the peer. false: an answer is missing among them, and is asked for
 * again.
 */
static bool acknowledge(struct ropcie_qp *qp, u32 psn)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 index;
	bool all = true;

	if (ropcie_psn_difference(psn, sq->acked) <= 0)
		return true;
	progressed(qp);
	for (index = sq->done; index != sq->fetched; index++) {
		struct ropcie_request *request = ropcie_qp_request(qp, index);

		if (!request->begun)
			break;
		if (!request->packets || request->complete)
			continue;
		if (request->answered && ropcie_psn_difference(psn, request->first_psn) > 0) {
			/* What there is of its answer has moved acked already. */
			if (ropcie_psn_difference(request->first_psn, sq->acked) > 0)
				sq->acked = request->first_psn;
			all = ropcie_psn_difference(psn, sq->acked) <= 0;
			goto out;
		}
		if (ropcie_psn_difference(psn, request->first_psn) < (s32)request->packets)
			break;
		request->complete = true;
	}
	sq->acked = psn;
out:
	if (ropcie_psn_difference(sq->acked, sq->psn) > 0)
		sq->psn = sq->acked;	/* it was about to be sent again */
	ropcie_completer_retire(qp);
	if (!all)
		ropcie_requester_rewind(qp, sq->acked);
	return all;
}

/* The request that an answer with this number is for, which is the next one to come. */
static struct ropcie_request *answered_by(struct ropcie_qp *qp, u32 psn,
					  struct ropcie_send_wqe **wqe)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 index;

	if (!acknowledge(qp, psn) || psn != sq->acked)
		return NULL;
	for (index = sq->done; index != sq->fetched; index++) {
		struct ropcie_request *request = ropcie_qp_request(qp, index);

		if (!request->begun)
			return NULL;
		if (!request->packets || request->complete)
			continue;
		if (!request->answered || ropcie_psn_difference(psn, request->first_psn) < 0 ||
		    ropcie_psn_difference(psn, request->first_psn) >= (s32)request->packets)
			return NULL;
		*wqe = ropcie_qp_wqe(qp, index);
		return request;
	}
	return NULL;
}

static void answer(struct ropcie_qp *qp, const struct ropcie_header *header, u32 psn,
		   const void *payload, size_t length)
{
	struct ropcie_send_queue *sq = &qp->sq;
	struct ropcie_send_wqe *wqe;
	struct ropcie_request *request = answered_by(qp, psn, &wqe);
	bool is_read = header->opcode == ROPCIE_OP_READ_RESPONSE;
	u32 offset, expected;
	u64 value;

	if (!request)
		return;
	if (is_read != (wqe->opcode == ROPCIE_WR_READ ||
			wqe->opcode == ROPCIE_WR_READ_WITH_INVALIDATE))
		goto bad;
	offset = ropcie_psn_difference(psn, request->first_psn) * ROPCIE_MTU;
	expected = is_read ? min_t(u32, request->length - offset, ROPCIE_MTU) : 0;
	if (length != expected)
		goto bad;
	if (!is_read) {
		value = le64_to_cpu(header->compare_add);
		payload = &value;
		length = sizeof(value);
	}
	if (length && ropcie_scatter(qp, &qp->accessor, (struct ropcie_sge *)(wqe + 1),
				     wqe->sge_count, offset, payload, length)) {
		ropcie_completer_fail(qp, IB_WC_LOC_PROT_ERR);
		return;
	}

	progressed(qp);
	sq->acked = ropcie_psn_add(psn, 1);
	if (ropcie_psn_difference(sq->acked, sq->psn) > 0)
		sq->psn = sq->acked;
	if (ropcie_psn_difference(sq->acked, request->first_psn) < (s32)request->packets)
		return;
	if (wqe->opcode == ROPCIE_WR_READ_WITH_INVALIDATE)
		ropcie_key_invalidate(qp->device, &qp->accessor, wqe->immediate);
	request->complete = true;
	sq->answers--;
	ropcie_completer_retire(qp);
	return;
bad:
	ropcie_count(qp->device, ROPCIE_BAD_PACKETS);
	ropcie_completer_fail(qp, IB_WC_BAD_RESP_ERR);
}

static void not_ready(struct ropcie_qp *qp, u32 psn, u8 timer)
{
	struct ropcie_send_queue *sq = &qp->sq;

	ropcie_count(qp->device, ROPCIE_RECEIVED_RNR_NAKS);
	if (!acknowledge(qp, psn) || sq->rnr_wait)
		return;
	if (!sq->rnr_retries) {
		ropcie_count(qp->device, ROPCIE_RNR_RETRY_EXCEEDED);
		ropcie_completer_fail(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (sq->rnr_retries != 7)	/* 7: for ever */
		sq->rnr_retries--;
	ropcie_requester_rewind(qp, psn);
	sq->rnr_wait = true;
	hrtimer_start(&sq->rnr_timer, ns_to_ktime((u64)rnr_microseconds[timer & 31] * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_SOFT);
}

static void refused(struct ropcie_qp *qp, u32 psn, u8 syndrome)
{
	struct ropcie_send_queue *sq = &qp->sq;
	enum ib_wc_status status;

	ropcie_count(qp->device, ROPCIE_RECEIVED_NAKS);
	if (!acknowledge(qp, psn))
		return;
	switch (syndrome) {
	case ROPCIE_NAK_SEQUENCE:
		if (sq->retries) {
			sq->retries--;
			ropcie_requester_rewind(qp, psn);
			return;
		}
		ropcie_count(qp->device, ROPCIE_RETRY_EXCEEDED);
		status = IB_WC_RETRY_EXC_ERR;
		break;
	case ROPCIE_NAK_INVALID_REQUEST:
		status = IB_WC_REM_INV_REQ_ERR;
		break;
	case ROPCIE_NAK_REMOTE_ACCESS:
		status = IB_WC_REM_ACCESS_ERR;
		break;
	case ROPCIE_NAK_REMOTE_OPERATION:
		status = IB_WC_REM_OP_ERR;
		break;
	default:
		status = IB_WC_BAD_RESP_ERR;
		break;
	}
	ropcie_completer_fail(qp, status);
}

void ropcie_completer_receive(struct ropcie_qp *qp, const struct ropcie_header *header,
			      const void *payload, size_t length)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 psn = le32_to_cpu(header->psn) & ROPCIE_PSN_MASK;
	enum ib_qp_state state;
	bool more;

	spin_lock(&sq->lock);
	state = READ_ONCE(qp->state);
	if (state != IB_QPS_RTS && state != IB_QPS_SQD)
		goto out;
	/* Of a packet that has been sent, and has had no answer? */
	if (ropcie_psn_difference(psn, sq->acked) < 0 || ropcie_psn_difference(psn, sq->sent) >= 0)
		goto out;

	if (header->opcode != ROPCIE_OP_ACKNOWLEDGE)
		answer(qp, header, psn, payload, length);
	else if (header->syndrome == ROPCIE_ACK)
		acknowledge(qp, ropcie_psn_add(psn, 1));
	else if ((header->syndrome & 0xe0) == ROPCIE_RNR)
		not_ready(qp, psn, header->syndrome);
	else
		refused(qp, psn, header->syndrome);

	more = ropcie_requester_run(qp, ROPCIE_REQUESTER_BUDGET);
	if (more)
		ropcie_qp_schedule(qp);
out:
	spin_unlock(&sq->lock);
}
