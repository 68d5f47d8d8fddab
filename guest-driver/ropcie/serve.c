// SPDX-License-Identifier: GPL-2.0-only
/* Serving requests: SEND, WRITE, READ, atomics, ATOMIC_WRITE, FLUSH. */

#include "mr.h"
#include "requester.h"
#include "responder.h"

static bool has(const struct ropcie_serve *serve, u8 flag)
{
	return serve->header->flags & flag;
}

static void fail_receive(struct ropcie_qp *qp, enum ib_wc_status status)
{
	struct ropcie_cqe cqe = { .status = status, .opcode = IB_WC_RECV };

	if (qp->responder.has_receive)
		ropcie_receive_complete(qp, &cqe);
	ropcie_qp_fail(qp);
}

/* The end of a message that takes a receive request. */
static void complete_receive(struct ropcie_qp *qp, const struct ropcie_serve *serve, u8 opcode)
{
	struct ropcie_responder *responder = &qp->responder;
	struct ropcie_cqe cqe = {
		.status = IB_WC_SUCCESS,
		.opcode = opcode,
		.byte_count = responder->received,
		.source_qp = qp->attr.dest_qp_num,
		.solicited = has(serve, ROPCIE_SOLICITED),
	};

	if (has(serve, ROPCIE_IMMEDIATE)) {
		cqe.flags |= ROPCIE_CQE_WITH_IMMEDIATE;
		cqe.immediate = (__force u32)serve->header->immediate;
	} else if (has(serve, ROPCIE_INVALIDATE)) {
		cqe.flags |= ROPCIE_CQE_WITH_INVALIDATE;
		cqe.immediate = le32_to_cpu((__force __le32)serve->header->immediate);
	}
	ropcie_receive_complete(qp, &cqe);
}

/* First, middle and last packets, of one kind, the full size but the last. */
static bool message_is_valid(struct ropcie_qp *qp, const struct ropcie_serve *serve)
{
	struct ropcie_responder *responder = &qp->responder;

	if (has(serve, ROPCIE_FIRST) == responder->in_message)
		return false;
	if (responder->in_message && responder->message_opcode != serve->header->opcode)
		return false;
	if (!has(serve, ROPCIE_LAST) && serve->length != ROPCIE_MTU)
		return false;
	return serve->length <= ROPCIE_MAX_MESSAGE - (responder->in_message ? responder->received : 0);
}

static void message_goes_on(struct ropcie_qp *qp, const struct ropcie_serve *serve)
{
	struct ropcie_responder *responder = &qp->responder;

	responder->received = (responder->in_message ? responder->received : 0) + serve->length;
	responder->message_opcode = serve->header->opcode;
	responder->in_message = !has(serve, ROPCIE_LAST);
}

static enum ropcie_served serve_send(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	struct ropcie_responder *responder = &qp->responder;
	u32 offset = responder->in_message ? responder->received : 0;
	struct ropcie_accessor who = serve->who;
	int err;

	if (serve->srq)
		who.pd = serve->srq->ib.pd;

	err = ropcie_receive_begin(qp, serve->srq);
	if (err == -EAGAIN)
		return ROPCIE_NOT_READY;
	if (err)
		return ROPCIE_REFUSE_OPERATION;

	err = ropcie_scatter(qp, &who, responder->receive.sges, responder->receive.sge_count,
			     offset, serve->payload, serve->length);
	if (err) {
		fail_receive(qp, err == -EMSGSIZE ? IB_WC_LOC_LEN_ERR : IB_WC_LOC_PROT_ERR);
		return err == -EMSGSIZE ? ROPCIE_REFUSE_INVALID : ROPCIE_REFUSE_OPERATION;
	}
	message_goes_on(qp, serve);
	if (!has(serve, ROPCIE_LAST))
		return ROPCIE_SERVED;

	if (has(serve, ROPCIE_INVALIDATE) &&
	    ropcie_key_invalidate(qp->device, &serve->who,
				  le32_to_cpu((__force __le32)serve->header->immediate))) {
		fail_receive(qp, IB_WC_LOC_QP_OP_ERR);
		return ROPCIE_REFUSE_ACCESS;
	}
	complete_receive(qp, serve, IB_WC_RECV);
	return ROPCIE_SERVED;
}

static int remote_span(struct ropcie_qp *qp, const struct ropcie_serve *serve, int access,
		       u64 length, struct ropcie_span *span)
{
	if (!(qp->attr.qp_access_flags & access) && access != ROPCIE_ACCESS_FLUSH)
		return -EACCES;
	return ropcie_span_get(qp->device, &serve->who, le32_to_cpu(serve->header->rkey), access,
			       le64_to_cpu(serve->header->address), length, span);
}

static enum ropcie_served serve_write(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	bool takes_receive = has(serve, ROPCIE_LAST) && has(serve, ROPCIE_IMMEDIATE);
	u32 rest = le32_to_cpu(serve->header->length);
	struct ropcie_span span;
	int err;

	if (rest < serve->length || (has(serve, ROPCIE_LAST) && rest != serve->length))
		return ROPCIE_REFUSE_INVALID;
	if (takes_receive) {
		err = ropcie_receive_begin(qp, serve->srq);
		if (err == -EAGAIN)
			return ROPCIE_NOT_READY;
		if (err)
			return ROPCIE_REFUSE_OPERATION;
	}
	/* All that is to come is checked with the first packet; each packet checks for itself, too. */
	if (rest) {
		err = remote_span(qp, serve, IB_ACCESS_REMOTE_WRITE,
				  has(serve, ROPCIE_FIRST) ? rest : serve->length, &span);
		if (err)
			return ROPCIE_REFUSE_ACCESS;
		ropcie_span_write(&span, serve->payload, serve->length);
		ropcie_span_put(&span);
	}
	message_goes_on(qp, serve);
	if (takes_receive)
		complete_receive(qp, serve, IB_WC_RECV_RDMA_WITH_IMM);
	return ROPCIE_SERVED;
}

static void respond_read(struct ropcie_qp *qp, const struct ropcie_serve *serve)
{
	struct ropcie_response response = {
		.opcode = ROPCIE_OP_READ_RESPONSE,
		.psn = serve->psn,
		.rkey = le32_to_cpu(serve->header->rkey),
		.address = le64_to_cpu(serve->header->address),
		.length = le32_to_cpu(serve->header->length),
		.srq_number = le32_to_cpu(serve->header->qkey),
	};

	ropcie_respond(qp, &response);
}

static enum ropcie_served serve_read(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	u32 length = le32_to_cpu(serve->header->length);
	struct ropcie_span span;

	if (serve->length || length > ROPCIE_MAX_MESSAGE || !qp->attr.max_dest_rd_atomic)
		return ROPCIE_REFUSE_INVALID;
	if (length) {
		if (remote_span(qp, serve, IB_ACCESS_REMOTE_READ, length, &span))
			return ROPCIE_REFUSE_ACCESS;
		ropcie_span_put(&span);
	}
	ropcie_count(qp->device, ROPCIE_SERVED_READS);
	respond_read(qp, serve);
	return ROPCIE_SERVED_ANSWERED;
}

static void respond_atomic(struct ropcie_qp *qp, u32 psn, u64 value)
{
	struct ropcie_response response = {
		.opcode = ROPCIE_OP_ATOMIC_RESPONSE,
		.psn = psn,
		.value = value,
	};

	ropcie_respond(qp, &response);
}

/* Eight bytes, aligned by their address and in memory. ROPCIE_SERVED: the span is to be put. */
static enum ropcie_served atomic_span(struct ropcie_qp *qp, const struct ropcie_serve *serve,
				      int access, struct ropcie_span *span)
{
	if (le64_to_cpu(serve->header->address) % 8)
		return ROPCIE_REFUSE_INVALID;
	if (remote_span(qp, serve, access, 8, span))
		return ROPCIE_REFUSE_ACCESS;
	if ((span->region->offset + span->offset) % 8) {
		ropcie_span_put(span);
		return ROPCIE_REFUSE_INVALID;
	}
	return ROPCIE_SERVED;
}

static enum ropcie_served serve_atomic(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	const struct ropcie_header *header = serve->header;
	struct ropcie_responder *responder = &qp->responder;
	struct ropcie_atomic_result *result;
	enum ropcie_served served;
	struct ropcie_span span;
	u64 before;

	if (serve->length || !qp->attr.max_dest_rd_atomic)
		return ROPCIE_REFUSE_INVALID;
	served = atomic_span(qp, serve, IB_ACCESS_REMOTE_ATOMIC, &span);
	if (served != ROPCIE_SERVED)
		return served;
	if (header->opcode == ROPCIE_OP_COMPARE_SWAP)
		before = ropcie_span_compare_swap(&span, le64_to_cpu(header->compare_add),
						  le64_to_cpu(header->swap));
	else
		before = ropcie_span_fetch_add(&span, le64_to_cpu(header->compare_add));
	ropcie_span_put(&span);

	result = &responder->atomics[responder->next_atomic++ % ROPCIE_MAX_READS];
	result->psn = serve->psn;
	result->value = before;
	result->valid = true;
	ropcie_count(qp->device, ROPCIE_SERVED_ATOMICS);
	respond_atomic(qp, serve->psn, before);
	return ROPCIE_SERVED_ANSWERED;
}

static enum ropcie_served serve_atomic_write(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	enum ropcie_served served;
	struct ropcie_span span;
	u64 value;

	if (serve->length != 8)
		return ROPCIE_REFUSE_INVALID;
	served = atomic_span(qp, serve, IB_ACCESS_REMOTE_WRITE, &span);
	if (served != ROPCIE_SERVED)
		return served;
	memcpy(&value, serve->payload, sizeof(value));
	ropcie_span_store(&span, value);
	ropcie_span_put(&span);
	return ROPCIE_SERVED;
}

/* What was written is in memory, coherent, already: this makes it visible before what follows, and says so. */
static enum ropcie_served serve_flush(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	const struct ropcie_header *header = serve->header;
	u64 length = le32_to_cpu(header->length);
	struct ropcie_object *object;
	struct ropcie_span span;

	if (serve->length)
		return ROPCIE_REFUSE_INVALID;
	/* No region allows IB_ACCESS_FLUSH_PERSISTENT, nor, before Linux 6.2, IB_ACCESS_FLUSH_GLOBAL. */
	if (!ROPCIE_ACCESS_FLUSH || le32_to_cpu(header->placement) != ROPCIE_PLACEMENT_GLOBAL)
		return ROPCIE_REFUSE_ACCESS;
	if (le32_to_cpu(header->selectivity) == ROPCIE_SELECT_RANGE) {
		if (remote_span(qp, serve, ROPCIE_ACCESS_FLUSH, length, &span))
			return ROPCIE_REFUSE_ACCESS;
		ropcie_span_put(&span);
	} else {
		const struct ropcie_region *region;
		bool allowed;

		object = ropcie_object_get(&qp->device->keys, le32_to_cpu(header->rkey) >> 8);
		if (!object)
			return ROPCIE_REFUSE_ACCESS;
		region = object->owner;
		/* valid before all else of it */
		allowed = smp_load_acquire(&region->valid) && region->key == le32_to_cpu(header->rkey) &&
			  region->pd == serve->who.pd && (region->access & ROPCIE_ACCESS_FLUSH);
		ropcie_object_put(object);
		if (!allowed)
			return ROPCIE_REFUSE_ACCESS;
	}
	smp_mb();	/* what was written, before what this is acknowledged with */
	return ROPCIE_SERVED;
}

enum ropcie_served ropcie_serve(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	u8 opcode = serve->header->opcode;
	bool in_message = qp->responder.in_message;

	if (opcode == ROPCIE_OP_SEND || opcode == ROPCIE_OP_WRITE) {
		if (!message_is_valid(qp, serve))
			return ROPCIE_REFUSE_INVALID;
		return opcode == ROPCIE_OP_SEND ? serve_send(qp, serve) : serve_write(qp, serve);
	}
	if (in_message || !ropcie_qp_is_reliable(qp))
		return ROPCIE_REFUSE_INVALID;
	switch (opcode) {
	case ROPCIE_OP_READ:
		return serve_read(qp, serve);
	case ROPCIE_OP_COMPARE_SWAP:
	case ROPCIE_OP_FETCH_ADD:
		return serve_atomic(qp, serve);
	case ROPCIE_OP_ATOMIC_WRITE:
		return serve_atomic_write(qp, serve);
	case ROPCIE_OP_FLUSH:
		return serve_flush(qp, serve);
	default:
		return ROPCIE_REFUSE_INVALID;
	}
}

void ropcie_serve_again(struct ropcie_qp *qp, struct ropcie_serve *serve)
{
	struct ropcie_responder *responder = &qp->responder;
	u32 i;

	if (serve->header->opcode == ROPCIE_OP_READ) {
		/* Its memory is checked as it is read. */
		if (le32_to_cpu(serve->header->length) <= ROPCIE_MAX_MESSAGE)
			respond_read(qp, serve);
		return;
	}
	/* The latest first: sequence numbers come again. */
	for (i = 1; i <= ROPCIE_MAX_READS; i++) {
		const struct ropcie_atomic_result *result =
			&responder->atomics[(responder->next_atomic - i) % ROPCIE_MAX_READS];

		if (result->valid && result->psn == serve->psn) {
			respond_atomic(qp, serve->psn, result->value);
			return;
		}
	}
}
