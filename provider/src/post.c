// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Posting work requests: into the ring, and a system call only if the kernel sleeps. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"
#include "verbs.h"

int ropcie_wake(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct ibv_post_send cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.response = (uintptr_t)&resp,
		.qp_handle = qp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};

	return write(qp->context->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : errno;
}

static int fill_inline(const struct ropcie_qp *qp, struct ropcie_send_wqe *wqe,
		       const struct ibv_send_wr *wr)
{
	uint8_t *data = (uint8_t *)(wqe + 1);
	uint32_t length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->max_inline - length)
			return ENOMEM;
		memcpy(data + length, (void *)(uintptr_t)sge->addr, sge->length);
		length += sge->length;
	}
	wqe->inline_length = length;
	wqe->sge_count = 0;
	return 0;
}

static int fill_sges(const struct ropcie_qp *qp, struct ropcie_send_wqe *wqe,
		     const struct ibv_send_wr *wr)
{
	struct ropcie_sge *sges = (struct ropcie_sge *)(wqe + 1);
	int i;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->max_send_sge)
		return EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		sges[i].address = wr->sg_list[i].addr;
		sges[i].length = wr->sg_list[i].length;
		sges[i].lkey = wr->sg_list[i].lkey;
	}
	wqe->sge_count = wr->num_sge;
	return 0;
}

static void fill_bind(struct ropcie_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;

	wqe->bind.address = info->addr;
	wqe->bind.length = info->length;
	wqe->bind.mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->bind.mw_rkey = wr->bind_mw.mw->rkey;
	wqe->bind.new_rkey = wr->bind_mw.rkey;
	wqe->bind.access = info->mw_access_flags;
}

static int fill_target(struct ropcie_qp *qp, struct ropcie_send_wqe *wqe,
		       const struct ibv_send_wr *wr)
{
	enum ibv_qp_type type = qp->verbs.qp.qp_type;

	if (type == IBV_QPT_XRC_SEND)
		wqe->srq_number = wr->qp_type.xrc.remote_srqn;
	switch (wr->opcode) {
	case IBV_WR_SEND_WITH_IMM:
		wqe->immediate = wr->imm_data;
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		wqe->immediate = wr->imm_data;
		/* fallthrough */
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
	case IBV_WR_ATOMIC_WRITE:
		wqe->rdma.address = wr->wr.rdma.remote_addr;
		wqe->rdma.rkey = wr->wr.rdma.rkey;
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wqe->atomic.address = wr->wr.atomic.remote_addr;
		wqe->atomic.rkey = wr->wr.atomic.rkey;
		wqe->atomic.compare_add = wr->wr.atomic.compare_add;
		wqe->atomic.swap = wr->wr.atomic.swap;
		return 0;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		wqe->immediate = wr->invalidate_rkey;
		return 0;
	case IBV_WR_BIND_MW:
		fill_bind(wqe, wr);
		return 0;
	case IBV_WR_SEND:
		break;
	default:
		return EOPNOTSUPP;
	}
	if (type == IBV_QPT_UD) {
		wqe->datagram.ah = to_ah(wr->wr.ud.ah)->number;
		wqe->datagram.qp_number = wr->wr.ud.remote_qpn;
		wqe->datagram.qkey = wr->wr.ud.remote_qkey;
	}
	return 0;
}

static int fill_send(struct ropcie_qp *qp, uint32_t producer, const struct ibv_send_wr *wr)
{
	struct ropcie_send_wqe *wqe;
	int err;

	if (ropcie_ring_is_full(&qp->send, producer))
		return ENOMEM;
	wqe = ropcie_ring_entry(&qp->send, producer);
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags;
	err = fill_target(qp, wqe, wr);
	if (err)
		return err;
	return wr->send_flags & IBV_SEND_INLINE ? fill_inline(qp, wqe, wr) :
						  fill_sges(qp, wqe, wr);
}

bool ropcie_may_send(const struct ibv_qp *qp)
{
	return qp->state != IBV_QPS_RESET && qp->state != IBV_QPS_INIT && qp->state != IBV_QPS_RTR;
}

int ropcie_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct ropcie_qp *qp = to_qp(ibv);
	uint32_t producer;
	bool sleeps;
	int err = 0;

	if (!qp->send.control || !ropcie_may_send(ibv)) {
		*bad = wr;
		return EINVAL;
	}
	ropcie_lock(&qp->send_lock);
	producer = ropcie_ring_producer(&qp->send);
	for (; wr; wr = wr->next) {
		err = fill_send(qp, producer, wr);
		if (err) {
			*bad = wr;
			break;
		}
		producer++;
	}
	sleeps = ropcie_ring_publish(&qp->send, producer);
	ropcie_unlock(&qp->send_lock);
	if (sleeps) {
		int woken = ropcie_wake(ibv);

		if (!err)
			err = woken;
	}
	return err;
}

int ropcie_fill_receive(struct ropcie_ring *ring, uint32_t producer, uint32_t max_sge,
			const struct ibv_recv_wr *wr)
{
	struct ropcie_receive_wqe *wqe;
	struct ropcie_sge *sges;
	int i;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > max_sge)
		return EINVAL;
	if (ropcie_ring_is_full(ring, producer))
		return ENOMEM;
	wqe = ropcie_ring_entry(ring, producer);
	sges = (struct ropcie_sge *)(wqe + 1);
	wqe->wr_id = wr->wr_id;
	wqe->sge_count = wr->num_sge;
	wqe->reserved = 0;
	for (i = 0; i < wr->num_sge; i++) {
		sges[i].address = wr->sg_list[i].addr;
		sges[i].length = wr->sg_list[i].length;
		sges[i].lkey = wr->sg_list[i].lkey;
	}
	return 0;
}

int ropcie_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct ropcie_qp *qp = to_qp(ibv);
	uint32_t producer;
	bool sleeps;
	int err = 0;

	if (!qp->receive.control || ibv->state == IBV_QPS_RESET) {
		*bad = wr;
		return EINVAL;
	}
	ropcie_lock(&qp->receive_lock);
	producer = ropcie_ring_producer(&qp->receive);
	for (; wr; wr = wr->next) {
		err = ropcie_fill_receive(&qp->receive, producer, qp->max_receive_sge, wr);
		if (err) {
			*bad = wr;
			break;
		}
		producer++;
	}
	sleeps = ropcie_ring_publish(&qp->receive, producer);
	ropcie_unlock(&qp->receive_lock);
	/* Only in an error state: what is posted has to be flushed. */
	if (sleeps)
		ropcie_wake(ibv);
	return err;
}
