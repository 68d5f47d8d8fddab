// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion queues: polled and armed in the ring. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cq.h"
#include "ring.h"
#include "verbs.h"

struct ibv_cq *ropcie_create_cq(struct ibv_context *context, int cqe,
				struct ibv_comp_channel *channel, int vector)
{
	struct ropcie_cmd_create_cq_resp resp = {};
	struct ropcie_cmd_create_cq cmd = {};
	struct ropcie_cq *cq;
	int err;

	if (cqe < 1) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	err = ibv_cmd_create_cq(context, cqe, channel, vector, &cq->verbs.cq, &cmd.ibv_cmd,
				sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		goto free;
	err = ropcie_ring_map(&cq->ring, context, &resp.ring);
	if (err)
		goto destroy;
	ropcie_lock_init(&cq->lock, NULL);
	return &cq->verbs.cq;

destroy:
	ibv_cmd_destroy_cq(&cq->verbs.cq);
free:
	free(cq);
	errno = err;
	return NULL;
}

int ropcie_resize_cq(struct ibv_cq *ibv, int cqe)
{
	struct ropcie_cmd_resize_cq_resp resp = {};
	struct ropcie_cmd_resize_cq cmd = {};
	struct ropcie_cq *cq = to_cq(ibv);
	struct ropcie_ring ring;
	int err;

	if (cqe < 1)
		return EINVAL;
	ropcie_lock(&cq->lock);
	err = ibv_cmd_resize_cq(ibv, cqe, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (!err)
		err = ropcie_ring_map(&ring, ibv->context, &resp.ring);
	if (!err) {
		ropcie_ring_unmap(&cq->ring);
		cq->ring = ring;
	}
	ropcie_unlock(&cq->lock);
	return err;
}

int ropcie_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(cq, attr, &cmd, sizeof(cmd));
}

int ropcie_destroy_cq(struct ibv_cq *ibv)
{
	struct ropcie_cq *cq = to_cq(ibv);
	int err = ibv_cmd_destroy_cq(ibv);

	if (err)
		return err;
	ropcie_ring_unmap(&cq->ring);
	free(cq);
	return 0;
}

unsigned int ropcie_cqe_wc_flags(const struct ropcie_cqe *cqe)
{
	unsigned int flags = 0;

	if (cqe->flags & ROPCIE_CQE_GRH)
		flags |= IBV_WC_GRH;
	if (cqe->flags & ROPCIE_CQE_WITH_IMMEDIATE)
		flags |= IBV_WC_WITH_IMM;
	if (cqe->flags & ROPCIE_CQE_WITH_INVALIDATE)
		flags |= IBV_WC_WITH_INV;
	return flags;
}

static void to_wc(const struct ropcie_cqe *cqe, struct ibv_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_error;
	wc->byte_len = cqe->byte_count;
	wc->imm_data = cqe->immediate;
	wc->qp_num = cqe->qp_number;
	wc->src_qp = cqe->source_qp;
	wc->wc_flags = ropcie_cqe_wc_flags(cqe);
}

int ropcie_poll_cq(struct ibv_cq *ibv, int max, struct ibv_wc *wc)
{
	struct ropcie_cq *cq = to_cq(ibv);
	uint32_t consumer, producer;
	int count = 0;

	ropcie_lock(&cq->lock);
	consumer = __atomic_load_n(&cq->ring.control->consumer, __ATOMIC_RELAXED);
	producer = __atomic_load_n(&cq->ring.control->producer, __ATOMIC_ACQUIRE);
	while (count < max && consumer != producer)
		to_wc(ropcie_ring_entry(&cq->ring, consumer++), &wc[count++]);
	if (count)
		__atomic_store_n(&cq->ring.control->consumer, consumer, __ATOMIC_RELEASE);
	ropcie_unlock(&cq->lock);
	return count;
}

int ropcie_req_notify_cq(struct ibv_cq *ibv, int solicited_only)
{
	struct ropcie_cq *cq = to_cq(ibv);
	uint32_t arm = solicited_only ? ROPCIE_ARM_SOLICITED : ROPCIE_ARM_ANY;

	ropcie_lock(&cq->lock);
	if (__atomic_load_n(&cq->ring.control->arm, __ATOMIC_RELAXED) < arm)
		__atomic_store_n(&cq->ring.control->arm, arm, __ATOMIC_RELAXED);
	/* Before the caller looks for completions once more. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	ropcie_unlock(&cq->lock);
	return 0;
}

void ropcie_cq_clean(struct ropcie_cq *cq, uint32_t qp_number)
{
	uint32_t consumer, from, to;

	ropcie_lock(&cq->lock);
	consumer = __atomic_load_n(&cq->ring.control->consumer, __ATOMIC_RELAXED);
	from = __atomic_load_n(&cq->ring.control->producer, __ATOMIC_ACQUIRE);
	if (from - consumer > cq->ring.entry_count)
		consumer = from;	/* no state that the queue can be in */
	/* From the newest to the oldest, towards the producer: the kernel writes behind that alone. */
	for (to = from; from != consumer; from--) {
		struct ropcie_cqe *cqe = ropcie_ring_entry(&cq->ring, from - 1);

		if (cqe->qp_number == qp_number)
			continue;
		to--;
		if (to != from - 1)
			memcpy(ropcie_ring_entry(&cq->ring, to), cqe, sizeof(*cqe));
	}
	__atomic_store_n(&cq->ring.control->consumer, to, __ATOMIC_RELEASE);
	ropcie_unlock(&cq->lock);
}
