// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queue pairs. */
#include <errno.h>
#include <stdlib.h>

#include "cq.h"
#include "ring.h"
#include "verbs.h"

static int map(struct ropcie_qp *qp, struct ibv_context *context, struct ibv_pd *pd,
	       const struct ropcie_create_qp_resp *resp, const struct ibv_qp_cap *cap)
{
	int err = ropcie_ring_map(&qp->send, context, &resp->send);

	if (err)
		return err;
	err = ropcie_ring_map(&qp->receive, context, &resp->receive);
	if (err) {
		ropcie_ring_unmap(&qp->send);
		return err;
	}
	ropcie_lock_init(&qp->send_lock, pd);
	ropcie_lock_init(&qp->receive_lock, pd);
	qp->max_send_sge = cap->max_send_sge;
	qp->max_receive_sge = cap->max_recv_sge;
	qp->max_inline = cap->max_inline_data;
	return 0;
}

static int check(const struct ibv_qp_init_attr_ex *attr)
{
	static const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
				      IBV_QP_INIT_ATTR_CREATE_FLAGS |
				      IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (!check_comp_mask(attr->comp_mask, known))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
	    !check_comp_mask(attr->create_flags, IBV_QP_CREATE_BLOCK_SELF_MCAST_LB))
		return EOPNOTSUPP;
	return 0;
}

struct ibv_qp *ropcie_create_qp_ex(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr)
{
	struct ropcie_cmd_create_qp_ex_resp resp = {};
	struct ropcie_cmd_create_qp_ex cmd = {};
	struct ibv_pd *pd = attr->comp_mask & IBV_QP_INIT_ATTR_PD ? attr->pd : NULL;
	struct ropcie_qp *qp;
	int err;

	err = check(attr);
	if (err)
		goto fail;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		err = ropcie_set_wr_functions(qp, attr->qp_type, attr->send_ops_flags);
		if (err)
			goto free;
	}
	err = ibv_cmd_create_qp_ex2(context, &qp->verbs, attr, &cmd.ibv_cmd, sizeof(cmd),
				    &resp.ibv_resp, sizeof(resp));
	if (err)
		goto free;
	err = map(qp, context, pd, &resp.drv_payload, &attr->cap);
	if (err)
		goto destroy;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		ropcie_announce_wr_functions(qp);
	return &qp->verbs.qp;

destroy:
	ibv_cmd_destroy_qp(&qp->verbs.qp);
free:
	free(qp);
fail:
	errno = err;
	return NULL;
}

struct ibv_qp *ropcie_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex extended = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = ropcie_create_qp_ex(pd->context, &extended);

	if (qp)
		attr->cap = extended.cap;
	return qp;
}

struct ibv_qp *ropcie_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ibv_open_qp cmd = {};
	struct ropcie_qp *qp = calloc(1, sizeof(*qp));
	int err;

	if (!qp)
		return NULL;
	err = ibv_cmd_open_qp(context, &qp->verbs, sizeof(qp->verbs), attr, &cmd, sizeof(cmd),
			      &resp, sizeof(resp));
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}
	return &qp->verbs.qp;
}

int ropcie_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};
	int err = ibv_cmd_modify_qp(qp, attr, mask, &cmd, sizeof(cmd));

	if (err || !(mask & IBV_QP_STATE) || attr->qp_state != IBV_QPS_RESET)
		return err;
	/* Who starts anew expects no completions of before. */
	if (qp->send_cq)
		ropcie_cq_clean(to_cq(qp->send_cq), qp->qp_num);
	if (qp->recv_cq && qp->recv_cq != qp->send_cq)
		ropcie_cq_clean(to_cq(qp->recv_cq), qp->qp_num);
	return 0;
}

int ropcie_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

int ropcie_destroy_qp(struct ibv_qp *ibv)
{
	struct ropcie_qp *qp = to_qp(ibv);
	int err = ibv_cmd_destroy_qp(ibv);

	if (err)
		return err;
	ropcie_ring_unmap(&qp->send);
	ropcie_ring_unmap(&qp->receive);
	free(qp);
	return 0;
}
