// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues. */
#include <errno.h>
#include <stdlib.h>

#include "ring.h"
#include "verbs.h"

struct ibv_srq *ropcie_create_srq_ex(struct ibv_context *context,
				     struct ibv_srq_init_attr_ex *attr)
{
	struct ropcie_cmd_create_srq_ex_resp resp = {};
	struct ropcie_cmd_create_srq_ex cmd = {};
	struct ropcie_srq *srq;
	int err;

	if (attr->comp_mask & IBV_SRQ_INIT_ATTR_TM) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	err = ibv_cmd_create_srq_ex(context, &srq->verbs, attr, &cmd.ibv_cmd, sizeof(cmd),
				    &resp.ibv_resp, sizeof(resp));
	if (err)
		goto free;
	err = ropcie_ring_map(&srq->ring, context, &resp.ring);
	if (err)
		goto destroy;
	ropcie_lock_init(&srq->lock, attr->pd);
	srq->max_sge = attr->attr.max_sge;
	srq->number = resp.srq_number;
	return &srq->verbs.srq;

destroy:
	ibv_cmd_destroy_srq(&srq->verbs.srq);
free:
	free(srq);
	errno = err;
	return NULL;
}

struct ibv_srq *ropcie_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex extended = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = pd,
	};
	struct ibv_srq *srq = ropcie_create_srq_ex(pd->context, &extended);

	if (srq)
		attr->attr = extended.attr;
	return srq;
}

int ropcie_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr, int mask)
{
	struct ropcie_srq *srq = to_srq(ibv);
	struct ropcie_mapping mapping = {};
	struct ropcie_cmd_modify_srq cmd = {};
	struct ropcie_ring ring;
	int err;

	cmd.response = (uintptr_t)&mapping;
	ropcie_lock(&srq->lock);
	err = ibv_cmd_modify_srq(ibv, attr, mask, &cmd.ibv_cmd, sizeof(cmd));
	if (!err && (mask & IBV_SRQ_MAX_WR)) {
		err = ropcie_ring_map(&ring, ibv->context, &mapping);
		if (!err) {
			ropcie_ring_unmap(&srq->ring);
			srq->ring = ring;
		}
	}
	ropcie_unlock(&srq->lock);
	return err;
}

int ropcie_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int ropcie_destroy_srq(struct ibv_srq *ibv)
{
	struct ropcie_srq *srq = to_srq(ibv);
	int err = ibv_cmd_destroy_srq(ibv);

	if (err)
		return err;
	ropcie_ring_unmap(&srq->ring);
	free(srq);
	return 0;
}

int ropcie_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	*number = to_srq(srq)->number;
	return 0;
}

int ropcie_post_srq_recv(struct ibv_srq *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct ropcie_srq *srq = to_srq(ibv);
	uint32_t producer;
	int err = 0;

	ropcie_lock(&srq->lock);
	producer = ropcie_ring_producer(&srq->ring);
	for (; wr; wr = wr->next) {
		err = ropcie_fill_receive(&srq->ring, producer, srq->max_sge, wr);
		if (err) {
			*bad = wr;
			break;
		}
		producer++;
	}
	/* Nobody sleeps over a shared queue: who finds it empty is asked again by its peer. */
	ropcie_ring_publish(&srq->ring, producer);
	ropcie_unlock(&srq->lock);
	return err;
}
