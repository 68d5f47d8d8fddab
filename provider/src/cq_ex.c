// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Extended completion queues: the reader looks at the completion where it is. */
#include <errno.h>
#include <stdlib.h>

#include "cq.h"
#include "ring.h"
#include "verbs.h"

#define WC_FLAGS	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
#define TIMESTAMPS	(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

static struct ropcie_cq *to_own(struct ibv_cq_ex *ibv)
{
	return container_of(ibv, struct ropcie_cq, verbs.cq_ex);
}

static int look(struct ropcie_cq *cq)
{
	uint32_t producer = __atomic_load_n(&cq->ring.control->producer, __ATOMIC_ACQUIRE);

	if (cq->polled == producer)
		return ENOENT;
	cq->current = ropcie_ring_entry(&cq->ring, cq->polled++);
	cq->verbs.cq_ex.status = cq->current->status;
	cq->verbs.cq_ex.wr_id = cq->current->wr_id;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ibv, struct ibv_poll_cq_attr *attr)
{
	struct ropcie_cq *cq = to_own(ibv);
	int err;

	if (attr->comp_mask)
		return EINVAL;
	ropcie_lock(&cq->lock);
	cq->polled = __atomic_load_n(&cq->ring.control->consumer, __ATOMIC_RELAXED);
	err = look(cq);
	if (err)
		ropcie_unlock(&cq->lock);
	return err;
}

static int next_poll(struct ibv_cq_ex *ibv)
{
	return look(to_own(ibv));
}

static void end_poll(struct ibv_cq_ex *ibv)
{
	struct ropcie_cq *cq = to_own(ibv);

	cq->current = NULL;
	__atomic_store_n(&cq->ring.control->consumer, cq->polled, __ATOMIC_RELEASE);
	ropcie_unlock(&cq->lock);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->vendor_error;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->byte_count;
}

static __be32 read_imm_data(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->immediate;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->qp_number;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->source_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ibv)
{
	return ropcie_cqe_wc_flags(to_own(ibv)->current);
}

/* A RoCE-like port has no LIDs and service levels. */
static uint32_t read_slid(struct ibv_cq_ex *ibv)
{
	return 0;
}

static uint8_t read_zero(struct ibv_cq_ex *ibv)
{
	return 0;
}

static uint64_t read_timestamp(struct ibv_cq_ex *ibv)
{
	return to_own(ibv)->current->timestamp;
}

static void set_readers(struct ibv_cq_ex *ibv, uint64_t flags)
{
	ibv->start_poll = start_poll;
	ibv->next_poll = next_poll;
	ibv->end_poll = end_poll;
	ibv->read_opcode = read_opcode;
	ibv->read_vendor_err = read_vendor_err;
	ibv->read_wc_flags = read_wc_flags;
	if (flags & IBV_WC_EX_WITH_BYTE_LEN)
		ibv->read_byte_len = read_byte_len;
	if (flags & IBV_WC_EX_WITH_IMM)
		ibv->read_imm_data = read_imm_data;
	if (flags & IBV_WC_EX_WITH_QP_NUM)
		ibv->read_qp_num = read_qp_num;
	if (flags & IBV_WC_EX_WITH_SRC_QP)
		ibv->read_src_qp = read_src_qp;
	if (flags & IBV_WC_EX_WITH_SLID)
		ibv->read_slid = read_slid;
	if (flags & IBV_WC_EX_WITH_SL)
		ibv->read_sl = read_zero;
	if (flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ibv->read_dlid_path_bits = read_zero;
	if (flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ibv->read_completion_ts = read_timestamp;
	if (flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		ibv->read_completion_wallclock_ns = read_timestamp;
}

struct ibv_cq_ex *ropcie_create_cq_ex(struct ibv_context *context,
				      struct ibv_cq_init_attr_ex *attr)
{
	struct ropcie_cmd_create_cq_ex_resp resp = {};
	struct ropcie_cmd_create_cq_ex cmd = {};
	struct ibv_cq_init_attr_ex kernel = *attr;
	struct ropcie_cq *cq;
	int err;

	if (!check_comp_mask(attr->wc_flags, WC_FLAGS) ||
	    !check_comp_mask(attr->comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS |
						      IBV_CQ_INIT_ATTR_MASK_PD)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    !check_comp_mask(attr->flags, IBV_CREATE_CQ_ATTR_SINGLE_THREADED |
						  IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (attr->cqe < 1) {
		errno = EINVAL;
		return NULL;
	}
	/* The kernel knows one flag for the timestamps of either clock. */
	if (attr->wc_flags & TIMESTAMPS)
		kernel.wc_flags |= IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	err = ibv_cmd_create_cq_ex(context, &kernel, &cq->verbs, &cmd.ibv_cmd, sizeof(cmd),
				   &resp.ibv_resp, sizeof(resp), 0);
	if (err)
		goto free;
	err = ropcie_ring_map(&cq->ring, context, &resp.ring);
	if (err)
		goto destroy;
	ropcie_lock_init(&cq->lock, attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ?
					    attr->parent_domain : NULL);
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		cq->lock.needed = false;
	set_readers(&cq->verbs.cq_ex, attr->wc_flags);
	return &cq->verbs.cq_ex;

destroy:
	ibv_cmd_destroy_cq(&cq->verbs.cq);
free:
	free(cq);
	errno = err;
	return NULL;
}
