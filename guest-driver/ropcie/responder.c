// SPDX-License-Identifier: GPL-2.0-only
/* The responder of RC, UC and XRC: sequence numbers, acknowledgements, refusals. */

#include "responder.h"

static u32 packets_of(const struct ropcie_serve *serve)
{
	u32 length = le32_to_cpu(serve->header->length);

	if (serve->header->opcode != ROPCIE_OP_READ)
		return 1;
	return max_t(u32, DIV_ROUND_UP(length, ROPCIE_MTU), 1);
}

static void refuse(struct ropcie_qp *qp, u32 psn, u8 syndrome, enum ib_event_type event)
{
	ropcie_count(qp->device, ROPCIE_SENT_NAKS);
	ropcie_respond_acknowledge(qp, psn, syndrome);
	if (event)
		ropcie_qp_event(qp, event);
	ropcie_qp_fail(qp);
}

static void conclude(struct ropcie_qp *qp, struct ropcie_serve *serve, enum ropcie_served served)
{
	struct ropcie_responder *responder = &qp->responder;
	bool reliable = ropcie_qp_is_reliable(qp);

	/* UC refuses nothing: it loses the message. */
	if (!reliable && served >= ROPCIE_REFUSE_INVALID)
		served = ROPCIE_DROP;
	switch (served) {
	case ROPCIE_SERVED:
		responder->psn = ropcie_psn_add(serve->psn, 1);
		if (reliable && (serve->header->flags & ROPCIE_ACK_REQUEST))
			ropcie_respond_acknowledge(qp, serve->psn, ROPCIE_ACK);
		break;
	case ROPCIE_SERVED_ANSWERED:
		responder->psn = ropcie_psn_add(serve->psn, packets_of(serve));
		break;
	case ROPCIE_NOT_READY:
		if (!reliable) {	/* UC: the message is lost */
			responder->psn = ropcie_psn_add(serve->psn, 1);
			responder->in_message = false;
			ropcie_count(qp->device, ROPCIE_DATAGRAMS_DROPPED);
			break;
		}
		ropcie_count(qp->device, ROPCIE_SENT_RNR_NAKS);
		ropcie_respond_acknowledge(qp, serve->psn,
					   ROPCIE_RNR | (qp->attr.min_rnr_timer & 31));
		responder->nak_sent = true;
		break;
	case ROPCIE_REFUSE_INVALID:
		refuse(qp, serve->psn, ROPCIE_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
		break;
	case ROPCIE_REFUSE_ACCESS:
		refuse(qp, serve->psn, ROPCIE_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
		break;
	case ROPCIE_REFUSE_OPERATION:
		refuse(qp, serve->psn, ROPCIE_NAK_REMOTE_OPERATION, 0);
		break;
	case ROPCIE_DROP:
		responder->psn = ropcie_psn_add(serve->psn, 1);
		responder->in_message = false;
		break;
	}
}

static void duplicate(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	ropcie_count(qp->device, ROPCIE_DUPLICATE_REQUESTS);
	switch (serve->header->opcode) {
	case ROPCIE_OP_READ:
	case ROPCIE_OP_COMPARE_SWAP:
	case ROPCIE_OP_FETCH_ADD:
		ropcie_serve_again(qp, serve);
		break;
	default:
		/* All up to here has been served. */
		ropcie_respond_acknowledge(qp, ropcie_psn_add(qp->responder.psn, -1), ROPCIE_ACK);
		break;
	}
}

/* Is it the packet that is expected? RC asks for the one that is missing; UC goes on with the next message. */
static bool in_sequence(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	struct ropcie_responder *responder = &qp->responder;
	s32 ahead = ropcie_psn_difference(serve->psn, responder->psn);

	if (!ropcie_qp_is_reliable(qp)) {
		if (ahead) {
			ropcie_count(qp->device, ROPCIE_OUT_OF_SEQUENCE);
			responder->in_message = false;
			responder->psn = serve->psn;
		}
		/* The rest of a message whose beginning is lost. */
		if (!responder->in_message && !(serve->header->flags & ROPCIE_FIRST)) {
			responder->psn = ropcie_psn_add(serve->psn, 1);
			return false;
		}
		return true;
	}
	if (ahead < 0) {
		duplicate(qp, serve);
		return false;
	}
	if (ahead > 0) {
		if (!responder->nak_sent) {
			ropcie_count(qp->device, ROPCIE_OUT_OF_SEQUENCE);
			ropcie_count(qp->device, ROPCIE_SENT_NAKS);
			ropcie_respond_acknowledge(qp, responder->psn, ROPCIE_NAK_SEQUENCE);
			responder->nak_sent = true;
		}
		return false;
	}
	responder->nak_sent = false;
	return true;
}

/* XRC: the shared receive queue that the packet names, of the same domain. */
static struct ropcie_object *find_srq(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	struct ropcie_object *object =
		ropcie_object_get(&qp->device->srqs, le32_to_cpu(serve->header->qkey));

	if (!object)
		return NULL;
	serve->srq = object->owner;
	if (serve->srq->ib.srq_type != IB_SRQT_XRC ||
	    serve->srq->ib.ext.xrc.xrcd != qp->ib.xrcd) {
		ropcie_object_put(object);
		return NULL;
	}
	serve->who.pd = serve->srq->ib.pd;
	return object;
}

void ropcie_responder_receive(struct ropcie_qp *qp, const struct ropcie_header *header,
			      const void *payload, size_t length)
{
	struct ropcie_responder *responder = &qp->responder;
	struct ropcie_object *srq = NULL;
	struct ropcie_serve serve = {
		.header = header,
		.payload = payload,
		.length = length,
		.psn = le32_to_cpu(header->psn) & ROPCIE_PSN_MASK,
		.who = qp->accessor,
		.srq = qp->srq,
	};

	spin_lock(&responder->lock);
	if (!ropcie_qp_serves(qp))
		goto out;
	if (!responder->established) {
		responder->established = true;
		if (READ_ONCE(qp->state) == IB_QPS_RTR)
			ropcie_qp_event(qp, IB_EVENT_COMM_EST);
	}
	if (qp->service == ROPCIE_SERVICE_XRC) {
		srq = find_srq(qp, &serve);
		if (!srq) {
			if (serve.psn == responder->psn)
				refuse(qp, serve.psn, ROPCIE_NAK_INVALID_REQUEST,
				       IB_EVENT_QP_REQ_ERR);
			goto send;
		}
	}
	if (in_sequence(qp, &serve))
		conclude(qp, &serve, ropcie_serve(qp, &serve));
	if (srq)
		ropcie_object_put(srq);
send:
	if (ropcie_responses_send(qp, ROPCIE_RESPONDER_BUDGET))
		ropcie_qp_schedule(qp);
out:
	spin_unlock(&responder->lock);
}

bool ropcie_responder_flush(struct ropcie_qp *qp)
{
	struct ropcie_responder *responder = &qp->responder;
	u32 budget = ROPCIE_FLUSH_BUDGET;
	bool more = false;

	for (;;) {
		struct ropcie_cqe cqe = { .status = IB_WC_WR_FLUSH_ERR, .opcode = IB_WC_RECV };

		if (!responder->has_receive) {
			more = responder->has_rq && !budget--;
			if (more || !responder->has_rq ||
			    ropcie_receive_queue_take(&responder->rq, &responder->receive, NULL))
				break;
			responder->has_receive = true;
		}
		ropcie_receive_complete(qp, &cqe);
	}
	responder->in_message = false;
	if (qp->srq && !responder->last_wqe_raised) {
		responder->last_wqe_raised = true;
		ropcie_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	}
	return more;
}

void ropcie_responder_reset(struct ropcie_qp *qp)
{
	struct ropcie_responder *responder = &qp->responder;

	if (responder->has_rq)
		ropcie_receive_queue_reset(&responder->rq);
	if (responder->receive_srq)
		ropcie_object_put(responder->receive_srq->object);
	responder->receive_srq = NULL;
	responder->has_receive = false;
	responder->in_message = false;
	responder->nak_sent = false;
	responder->established = false;
	responder->last_wqe_raised = false;
	responder->response_head = 0;
	responder->response_tail = 0;
	memset(responder->atomics, 0, sizeof(responder->atomics));
}
