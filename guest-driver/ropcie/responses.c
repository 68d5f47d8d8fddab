// SPDX-License-Identifier: GPL-2.0-only
/* What the responder sends: acknowledgements, and the data of READ and atomic requests, in the order of the requests. */

#include "compat_rdma.h"
#include "responder.h"

static bool is_plain_ack(const struct ropcie_response *response)
{
	return response->opcode == ROPCIE_OP_ACKNOWLEDGE && response->syndrome == ROPCIE_ACK;
}

void ropcie_respond(struct ropcie_qp *qp, const struct ropcie_response *response)
{
	struct ropcie_responder *responder = &qp->responder;
	u32 used = responder->response_tail - responder->response_head;
	struct ropcie_response *last;

	if (!responder->responses)
		return;
	/* An acknowledgement says all that one before it says. */
	if (used && is_plain_ack(response)) {
		last = &responder->responses[(responder->response_tail - 1) &
					     responder->response_mask];
		if (is_plain_ack(last)) {
			*last = *response;
			return;
		}
	}
	/* A peer that asks for more than it may: it has to ask again. */
	if (used > responder->response_mask)
		return;
	responder->responses[responder->response_tail++ & responder->response_mask] = *response;
}

void ropcie_respond_acknowledge(struct ropcie_qp *qp, u32 psn, u8 syndrome)
{
	struct ropcie_response response = {
		.opcode = ROPCIE_OP_ACKNOWLEDGE,
		.syndrome = syndrome,
		.psn = psn,
	};

	ropcie_respond(qp, &response);
}

/* XRC: the accessor is who owns the shared receive queue. Its key may have gone meanwhile: so may the queue. */
static int read_span(struct ropcie_qp *qp, const struct ropcie_response *response, u32 length,
		     struct ropcie_span *span)
{
	struct ropcie_accessor who = qp->accessor;
	struct ropcie_object *object = NULL;
	int err;

	/* One that is asked for again has not been checked. */
	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_READ))
		return -EACCES;
	if (qp->service == ROPCIE_SERVICE_XRC) {
		object = ropcie_object_get(&qp->device->srqs, response->srq_number);
		if (!object)
			return -EACCES;
		who.pd = ((struct ropcie_srq *)object->owner)->ib.pd;
	}
	err = ropcie_span_get(qp->device, &who, response->rkey, IB_ACCESS_REMOTE_READ,
			      response->address + response->sent, length, span);
	if (object)
		ropcie_object_put(object);
	return err;
}

/* The next packet of a READ's answer. */
static int send_read(struct ropcie_qp *qp, struct ropcie_response *response,
		     struct ropcie_header *header)
{
	struct ropcie_responder *responder = &qp->responder;
	u32 length = min_t(u32, response->length - response->sent, ROPCIE_MTU);
	struct ropcie_span span = {};
	unsigned int bvecs = 0;
	struct iov_iter payload;
	int err;

	if (length) {
		if (read_span(qp, response, length, &span)) {
			response->opcode = ROPCIE_OP_ACKNOWLEDGE;
			response->syndrome = ROPCIE_NAK_REMOTE_ACCESS;
			ropcie_count(qp->device, ROPCIE_SENT_NAKS);
			ropcie_qp_event(qp, IB_EVENT_QP_ACCESS_ERR);
			ropcie_qp_fail(qp);
			return -EINPROGRESS;
		}
		bvecs = ropcie_span_bvecs(&span, length, responder->bvecs);
	}
	header->length = cpu_to_le32(response->length - response->sent);
	iov_iter_bvec(&payload, ITER_SOURCE, responder->bvecs, bvecs, length);
	err = ropcie_qp_send(qp, header, &payload);
	ropcie_span_put(&span);
	if (err)
		return err;
	response->sent += length;
	response->psn = ropcie_psn_add(response->psn, 1);
	return response->sent == response->length ? 0 : -EINPROGRESS;
}

/* 0: the response is done with. -EINPROGRESS: there is more of it. -EAGAIN: no room. */
static int send_one(struct ropcie_qp *qp, struct ropcie_response *response)
{
	struct ropcie_header header = {
		.opcode = response->opcode,
		.flags = ROPCIE_FIRST | ROPCIE_LAST,
		.service = qp->service,
		.syndrome = response->syndrome,
		.destination_qp = cpu_to_le32(qp->attr.dest_qp_num),
		.source_qp = cpu_to_le32(qp->ib.qp_num),
		.psn = cpu_to_le32(response->psn),
	};
	struct iov_iter payload;

	if (response->opcode == ROPCIE_OP_READ_RESPONSE)
		return send_read(qp, response, &header);
	if (response->opcode == ROPCIE_OP_ATOMIC_RESPONSE)
		header.compare_add = cpu_to_le64(response->value);
	iov_iter_bvec(&payload, ITER_SOURCE, qp->responder.bvecs, 0, 0);
	return ropcie_qp_send(qp, &header, &payload);
}

bool ropcie_responses_send(struct ropcie_qp *qp, unsigned int budget)
{
	struct ropcie_responder *responder = &qp->responder;

	while (responder->response_head != responder->response_tail) {
		struct ropcie_response *response =
			&responder->responses[responder->response_head & responder->response_mask];
		int err;

		if (!list_empty_careful(&qp->blocked))
			return false;
		if (!budget--)
			return true;
		err = send_one(qp, response);
		if (err == -EAGAIN)
			return false;
		if (err != -EINPROGRESS)
			responder->response_head++;
	}
	return false;
}
