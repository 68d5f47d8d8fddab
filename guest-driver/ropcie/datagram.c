// SPDX-License-Identifier: GPL-2.0-only
/* Datagrams: UD queue pairs, and QP1. */

#include <linux/in6.h>
#include <rdma/ib_pack.h>

#include "requester.h"
#include "responder.h"

#define GRH_BYTES	40
#define NEXT_HEADER_UDP	17	/* RoCEv2 */
#define HOP_LIMIT	64

/* IPv6's form, for GIDs of either family: there is no IP header on the wire that could be told. */
static void make_grh(struct ib_grh *grh, const struct ropcie_header *header, size_t length)
{
	memset(grh, 0, sizeof(*grh));
	grh->version_tclass_flow = cpu_to_be32(6u << 28);
	grh->paylen = cpu_to_be16(length);
	grh->next_hdr = NEXT_HEADER_UDP;
	grh->hop_limit = HOP_LIMIT;
	memcpy(&grh->sgid, header->source_gid, 16);
	memcpy(&grh->dgid, header->destination_gid, 16);
}

static bool accepts(struct ropcie_qp *qp, const struct ropcie_header *header)
{
	if (!ropcie_qp_serves(qp))
		return false;
	if (header->opcode != ROPCIE_OP_SEND) {
		ropcie_count(qp->device, ROPCIE_BAD_PACKETS);
		return false;
	}
	if (le32_to_cpu(header->qkey) != qp->attr.qkey) {
		ropcie_count(qp->device, ROPCIE_QKEY_VIOLATIONS);
		return false;
	}
	return true;
}

static enum ib_wc_status place(struct ropcie_qp *qp, const struct ropcie_header *header,
			       const void *payload, size_t length)
{
	struct ropcie_receive *receive = &qp->responder.receive;
	struct ropcie_accessor who = qp->accessor;
	struct ib_grh grh;
	int err;

	if (qp->srq)
		who.pd = qp->srq->ib.pd;
	make_grh(&grh, header, length);
	err = ropcie_scatter(qp, &who, receive->sges, receive->sge_count, 0, &grh, sizeof(grh));
	if (!err)
		err = ropcie_scatter(qp, &who, receive->sges, receive->sge_count, GRH_BYTES,
				     payload, length);
	if (err)
		return err == -EMSGSIZE ? IB_WC_LOC_LEN_ERR : IB_WC_LOC_PROT_ERR;
	return IB_WC_SUCCESS;
}

void ropcie_datagram_receive(struct ropcie_qp *qp, const struct ropcie_header *header,
			     const void *payload, size_t length)
{
	struct ropcie_cqe cqe = {
		.opcode = IB_WC_RECV,
		.flags = ROPCIE_CQE_GRH,
		.byte_count = GRH_BYTES + length,
		.source_qp = le32_to_cpu(header->source_qp),
		.solicited = header->flags & ROPCIE_SOLICITED,
	};

	static_assert(sizeof(struct ib_grh) == GRH_BYTES);
	spin_lock(&qp->responder.lock);
	if (!accepts(qp, header))
		goto out;
	if (ropcie_receive_begin(qp, qp->srq)) {
		ropcie_count(qp->device, ROPCIE_DATAGRAMS_DROPPED);
		goto out;
	}
	if (header->flags & ROPCIE_IMMEDIATE) {
		cqe.flags |= ROPCIE_CQE_WITH_IMMEDIATE;
		cqe.immediate = (__force u32)header->immediate;
	}
	cqe.status = place(qp, header, payload, length);
	if (cqe.status != IB_WC_SUCCESS)
		ropcie_qp_fail(qp);
	ropcie_receive_complete(qp, &cqe);
out:
	spin_unlock(&qp->responder.lock);
}
