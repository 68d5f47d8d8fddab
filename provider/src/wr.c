// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ibv_wr_* functions: work requests built where they will be read. */
#include <errno.h>
#include <string.h>

#include "ring.h"
#include "verbs.h"

static struct ropcie_qp *to_own(struct ibv_qp_ex *ibv)
{
	return container_of(ibv, struct ropcie_qp, verbs.qp_ex);
}

static void fail(struct ropcie_qp *qp, int error)
{
	if (!qp->error)
		qp->error = error;
}

/* The next work request; NULL after an error: what follows is built nowhere. */
static struct ropcie_send_wqe *begin(struct ibv_qp_ex *ibv, enum ropcie_wr_opcode opcode)
{
	struct ropcie_qp *qp = to_own(ibv);

	qp->wqe = NULL;
	if (!qp->error && ropcie_ring_is_full(&qp->send, qp->producer))
		fail(qp, ENOMEM);
	if (qp->error)
		return NULL;
	qp->wqe = ropcie_ring_entry(&qp->send, qp->producer++);
	memset(qp->wqe, 0, sizeof(*qp->wqe));
	qp->wqe->wr_id = ibv->wr_id;
	qp->wqe->flags = ibv->wr_flags & ~(unsigned int)IBV_SEND_INLINE;
	qp->wqe->opcode = opcode;
	return qp->wqe;
}

static void wr_rdma(struct ibv_qp_ex *ibv, enum ropcie_wr_opcode opcode, uint32_t rkey,
		    uint64_t remote_addr)
{
	struct ropcie_send_wqe *wqe = begin(ibv, opcode);

	if (!wqe)
		return;
	wqe->rdma.address = remote_addr;
	wqe->rdma.rkey = rkey;
}

static void wr_rdma_read(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
	wr_rdma(ibv, ROPCIE_WR_READ, rkey, remote_addr);
}

static void wr_rdma_write(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr)
{
	wr_rdma(ibv, ROPCIE_WR_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr,
			      __be32 imm_data)
{
	wr_rdma(ibv, ROPCIE_WR_WRITE_WITH_IMM, rkey, remote_addr);
	if (to_own(ibv)->wqe)
		to_own(ibv)->wqe->immediate = imm_data;
}

static void wr_atomic(struct ibv_qp_ex *ibv, enum ropcie_wr_opcode opcode, uint32_t rkey,
		      uint64_t remote_addr, uint64_t compare_add, uint64_t swap)
{
	struct ropcie_send_wqe *wqe = begin(ibv, opcode);

	if (!wqe)
		return;
	wqe->atomic.address = remote_addr;
	wqe->atomic.rkey = rkey;
	wqe->atomic.compare_add = compare_add;
	wqe->atomic.swap = swap;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr,
			      uint64_t compare, uint64_t swap)
{
	wr_atomic(ibv, ROPCIE_WR_COMPARE_SWAP, rkey, remote_addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr,
				uint64_t add)
{
	wr_atomic(ibv, ROPCIE_WR_FETCH_ADD, rkey, remote_addr, add, 0);
}

static void wr_atomic_write(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr,
			    const void *value)
{
	struct ropcie_send_wqe *wqe = begin(ibv, ROPCIE_WR_ATOMIC_WRITE);

	if (!wqe)
		return;
	wqe->rdma.address = remote_addr;
	wqe->rdma.rkey = rkey;
	wqe->flags |= ROPCIE_WR_INLINE;
	wqe->inline_length = sizeof(uint64_t);
	memcpy(wqe + 1, value, sizeof(uint64_t));
}

static void wr_flush(struct ibv_qp_ex *ibv, uint32_t rkey, uint64_t remote_addr, size_t length,
		     uint8_t type, uint8_t level)
{
	struct ropcie_send_wqe *wqe = begin(ibv, ROPCIE_WR_FLUSH);

	if (!wqe)
		return;
	if (length > UINT32_MAX)
		fail(to_own(ibv), EINVAL);
	wqe->rdma.address = remote_addr;
	wqe->rdma.rkey = rkey;
	wqe->rdma.length = length;
	wqe->rdma.placement = type;
	wqe->rdma.selectivity = level;
}

static void wr_bind_mw(struct ibv_qp_ex *ibv, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct ropcie_send_wqe *wqe = begin(ibv, ROPCIE_WR_BIND_MW);

	if (!wqe)
		return;
	wqe->bind.address = info->addr;
	wqe->bind.length = info->length;
	wqe->bind.mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->bind.mw_rkey = mw->rkey;
	wqe->bind.new_rkey = rkey;
	wqe->bind.access = info->mw_access_flags;
}

static void wr_with_key(struct ibv_qp_ex *ibv, enum ropcie_wr_opcode opcode, uint32_t word)
{
	struct ropcie_send_wqe *wqe = begin(ibv, opcode);

	if (wqe)
		wqe->immediate = word;
}

static void wr_local_inv(struct ibv_qp_ex *ibv, uint32_t rkey)
{
	wr_with_key(ibv, ROPCIE_WR_LOCAL_INVALIDATE, rkey);
}

static void wr_send(struct ibv_qp_ex *ibv)
{
	wr_with_key(ibv, ROPCIE_WR_SEND, 0);
}

static void wr_send_imm(struct ibv_qp_ex *ibv, __be32 imm_data)
{
	wr_with_key(ibv, ROPCIE_WR_SEND_WITH_IMM, imm_data);
}

static void wr_send_inv(struct ibv_qp_ex *ibv, uint32_t rkey)
{
	wr_with_key(ibv, ROPCIE_WR_SEND_WITH_INVALIDATE, rkey);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ibv, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct ropcie_send_wqe *wqe = to_own(ibv)->wqe;

	if (!wqe)
		return;
	wqe->datagram.ah = to_ah(ah)->number;
	wqe->datagram.qp_number = qpn;
	wqe->datagram.qkey = qkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ibv, uint32_t srqn)
{
	if (to_own(ibv)->wqe)
		to_own(ibv)->wqe->srq_number = srqn;
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ibv, size_t count,
				    const struct ibv_data_buf *buffers)
{
	struct ropcie_qp *qp = to_own(ibv);
	uint32_t length = 0;
	uint8_t *data;
	size_t i;

	if (!qp->wqe)
		return;
	data = (uint8_t *)(qp->wqe + 1);
	for (i = 0; i < count; i++) {
		if (buffers[i].length > qp->max_inline - length) {
			fail(qp, ENOMEM);
			return;
		}
		memcpy(data + length, buffers[i].addr, buffers[i].length);
		length += buffers[i].length;
	}
	qp->wqe->flags |= ROPCIE_WR_INLINE;
	qp->wqe->inline_length = length;
}

static void wr_set_inline_data(struct ibv_qp_ex *ibv, void *addr, size_t length)
{
	struct ibv_data_buf buffer = { .addr = addr, .length = length };

	wr_set_inline_data_list(ibv, 1, &buffer);
}

static void wr_set_sge_list(struct ibv_qp_ex *ibv, size_t count, const struct ibv_sge *list)
{
	struct ropcie_qp *qp = to_own(ibv);
	struct ropcie_sge *sges;
	size_t i;

	if (!qp->wqe)
		return;
	sges = (struct ropcie_sge *)(qp->wqe + 1);
	if (count > qp->max_send_sge) {
		fail(qp, EINVAL);
		return;
	}
	for (i = 0; i < count; i++) {
		sges[i].address = list[i].addr;
		sges[i].length = list[i].length;
		sges[i].lkey = list[i].lkey;
	}
	qp->wqe->sge_count = count;
}

static void wr_set_sge(struct ibv_qp_ex *ibv, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ibv, 1, &sge);
}

static void wr_start(struct ibv_qp_ex *ibv)
{
	struct ropcie_qp *qp = to_own(ibv);

	ropcie_lock(&qp->send_lock);
	qp->producer = ropcie_ring_producer(&qp->send);
	qp->error = ropcie_may_send(&qp->verbs.qp) ? 0 : EINVAL;
	qp->wqe = NULL;
}

static int wr_complete(struct ibv_qp_ex *ibv)
{
	struct ropcie_qp *qp = to_own(ibv);
	bool sleeps = false;
	int err = qp->error;

	if (!err)
		sleeps = ropcie_ring_publish(&qp->send, qp->producer);
	ropcie_unlock(&qp->send_lock);
	return sleeps ? ropcie_wake(&qp->verbs.qp) : err;
}

static void wr_abort(struct ibv_qp_ex *ibv)
{
	ropcie_unlock(&to_own(ibv)->send_lock);
}

#define SENDS		(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define UNRELIABLE	(SENDS | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_WRITE | \
			 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_LOCAL_INV | \
			 IBV_QP_EX_WITH_BIND_MW)
#define RELIABLE	(UNRELIABLE | IBV_QP_EX_WITH_RDMA_READ | \
			 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
			 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_FLUSH | \
			 IBV_QP_EX_WITH_ATOMIC_WRITE)

static uint64_t supported(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_UD:
		return SENDS;
	case IBV_QPT_UC:
		return UNRELIABLE;
	case IBV_QPT_RC:
	case IBV_QPT_XRC_SEND:
		return RELIABLE;
	default:
		return 0;
	}
}

/*
 * struct ibv_qp_ex has wr_flush, its last member, from rdma-core 45 on, and no other private ABI: to an older libibverbs,
 * comp_mask lies where wr_flush is in the headers that this is built with. false: it is older.
 */
static bool announce(struct ropcie_qp *qp)
{
	qp->verbs.comp_mask |= VERBS_QP_EX;
	return ibv_qp_to_qp_ex(&qp->verbs.qp);
}

int ropcie_set_wr_functions(struct ropcie_qp *qp, enum ibv_qp_type type, uint64_t flags)
{
	struct ibv_qp_ex *ibv = &qp->verbs.qp_ex;

	if ((flags & ~supported(type)) || ((flags & IBV_QP_EX_WITH_FLUSH) && !announce(qp)))
		return EOPNOTSUPP;
	ibv->wr_start = wr_start;
	ibv->wr_complete = wr_complete;
	ibv->wr_abort = wr_abort;
	ibv->wr_set_sge = wr_set_sge;
	ibv->wr_set_sge_list = wr_set_sge_list;
	ibv->wr_set_inline_data = wr_set_inline_data;
	ibv->wr_set_inline_data_list = wr_set_inline_data_list;
	if (type == IBV_QPT_UD)
		ibv->wr_set_ud_addr = wr_set_ud_addr;
	if (type == IBV_QPT_XRC_SEND)
		ibv->wr_set_xrc_srqn = wr_set_xrc_srqn;

	if (flags & IBV_QP_EX_WITH_SEND)
		ibv->wr_send = wr_send;
	if (flags & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ibv->wr_send_imm = wr_send_imm;
	if (flags & IBV_QP_EX_WITH_SEND_WITH_INV)
		ibv->wr_send_inv = wr_send_inv;
	if (flags & IBV_QP_EX_WITH_RDMA_WRITE)
		ibv->wr_rdma_write = wr_rdma_write;
	if (flags & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ibv->wr_rdma_write_imm = wr_rdma_write_imm;
	if (flags & IBV_QP_EX_WITH_RDMA_READ)
		ibv->wr_rdma_read = wr_rdma_read;
	if (flags & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ibv->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	if (flags & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ibv->wr_atomic_fetch_add = wr_atomic_fetch_add;
	if (flags & IBV_QP_EX_WITH_ATOMIC_WRITE)
		ibv->wr_atomic_write = wr_atomic_write;
	if (flags & IBV_QP_EX_WITH_FLUSH)
		ibv->wr_flush = wr_flush;
	if (flags & IBV_QP_EX_WITH_LOCAL_INV)
		ibv->wr_local_inv = wr_local_inv;
	if (flags & IBV_QP_EX_WITH_BIND_MW)
		ibv->wr_bind_mw = wr_bind_mw;
	return 0;
}

void ropcie_announce_wr_functions(struct ropcie_qp *qp)
{
	static const uint32_t mask = VERBS_QP_EX;

	if (!announce(qp))
		memcpy(&qp->verbs.qp_ex.wr_flush, &mask, sizeof(mask));
}
