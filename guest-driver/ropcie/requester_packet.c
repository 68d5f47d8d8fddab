// SPDX-License-Identifier: GPL-2.0-only
/* One packet of a request: its header, its payload, its way. */

#include <rdma/ib_addr.h>

#include "ah.h"
#include "compat_rdma.h"
#include "requester.h"

/* An acknowledgement is asked for at the end of a message, and each so many packets. */
#define ACK_INTERVAL	64

static u8 packet_opcode(u32 opcode)
{
	switch (opcode) {
	case ROPCIE_WR_WRITE:
	case ROPCIE_WR_WRITE_WITH_IMM:
		return ROPCIE_OP_WRITE;
	case ROPCIE_WR_READ:
	case ROPCIE_WR_READ_WITH_INVALIDATE:
		return ROPCIE_OP_READ;
	case ROPCIE_WR_COMPARE_SWAP:
		return ROPCIE_OP_COMPARE_SWAP;
	case ROPCIE_WR_FETCH_ADD:
		return ROPCIE_OP_FETCH_ADD;
	case ROPCIE_WR_ATOMIC_WRITE:
		return ROPCIE_OP_ATOMIC_WRITE;
	case ROPCIE_WR_FLUSH:
		return ROPCIE_OP_FLUSH;
	default:
		return ROPCIE_OP_SEND;
	}
}

static void fill_last(struct ropcie_header *header, const struct ropcie_send_wqe *wqe)
{
	header->flags |= ROPCIE_LAST | ROPCIE_ACK_REQUEST;
	if (wqe->flags & ROPCIE_WR_SOLICITED)
		header->flags |= ROPCIE_SOLICITED;
	if (wqe->opcode == ROPCIE_WR_SEND_WITH_IMM || wqe->opcode == ROPCIE_WR_WRITE_WITH_IMM) {
		header->flags |= ROPCIE_IMMEDIATE;
		header->immediate = (__force __be32)wqe->immediate;
	} else if (wqe->opcode == ROPCIE_WR_SEND_WITH_INVALIDATE) {
		header->flags |= ROPCIE_INVALIDATE;
		header->immediate = (__force __be32)cpu_to_le32(wqe->immediate);
	}
}

/* The header of the packet with sq->psn, and which bytes it carries. */
static void fill(struct ropcie_qp *qp, const struct ropcie_request *request,
		 const struct ropcie_send_wqe *wqe, struct ropcie_header *header, u32 *offset,
		 u32 *length)
{
	struct ropcie_send_queue *sq = &qp->sq;
	u32 index = ropcie_psn_difference(sq->psn, request->first_psn);

	*offset = index * ROPCIE_MTU;
	*length = min_t(u32, request->length - *offset, ROPCIE_MTU);

	memset(header, 0, sizeof(*header));
	header->opcode = packet_opcode(wqe->opcode);
	header->service = qp->service;
	header->source_qp = cpu_to_le32(qp->ib.qp_num);
	header->destination_qp = cpu_to_le32(qp->attr.dest_qp_num);
	header->psn = cpu_to_le32(sq->psn);
	header->length = cpu_to_le32(request->length - *offset);
	if (qp->service == ROPCIE_SERVICE_XRC)
		header->qkey = cpu_to_le32(wqe->srq_number);
	if (!index)
		header->flags |= ROPCIE_FIRST;
	if (index == request->packets - 1 || ropcie_wr_is_read(wqe->opcode))
		fill_last(header, wqe);
	else if (!((sq->psn + 1) % ACK_INTERVAL))
		header->flags |= ROPCIE_ACK_REQUEST;

	switch (header->opcode) {
	case ROPCIE_OP_COMPARE_SWAP:
	case ROPCIE_OP_FETCH_ADD:
		header->rkey = cpu_to_le32(wqe->atomic.rkey);
		header->address = cpu_to_le64(wqe->atomic.address);
		header->compare_add = cpu_to_le64(wqe->atomic.compare_add);
		header->swap = cpu_to_le64(wqe->atomic.swap);
		*length = 0;
		break;
	case ROPCIE_OP_FLUSH:
		header->length = cpu_to_le32(wqe->rdma.length);
		header->placement = cpu_to_le32(wqe->rdma.placement);
		header->selectivity = cpu_to_le32(wqe->rdma.selectivity);
		fallthrough;
	case ROPCIE_OP_WRITE:
	case ROPCIE_OP_ATOMIC_WRITE:
	case ROPCIE_OP_READ:
		header->rkey = cpu_to_le32(wqe->rdma.rkey);
		header->address = cpu_to_le64(wqe->rdma.address + *offset);
		break;
	default:
		break;
	}
	if (header->opcode == ROPCIE_OP_READ)
		*length = 0;
}

struct multicast {
	struct ropcie_device *device;
	const struct ropcie_header *header;
	const struct iov_iter *payload;
};

static void send_to_member(struct ropcie_peer *peer, void *context)
{
	const struct multicast *multicast = context;
	struct iov_iter payload = *multicast->payload;

	/* Datagrams may be lost: who has no room misses it. */
	if (!ropcie_peer_send(peer, multicast->header, &payload))
		ropcie_count(multicast->device, ROPCIE_SENT_PACKETS);
}

static int send_datagram(struct ropcie_qp *qp, const struct ropcie_send_wqe *wqe,
			 struct ropcie_header *header, struct iov_iter *payload)
{
	struct ropcie_address_vector vector;
	struct ropcie_peer *peer;
	u32 qkey = wqe->datagram.qkey;
	int err;

	if (!ropcie_address_vector_find(qp->device, wqe->datagram.ah, qp->accessor.pd, &vector))
		return -EINVAL;
	header->destination_qp = cpu_to_le32(wqe->datagram.qp_number);
	/* IBA: with the high bit set, the queue pair's own */
	header->qkey = cpu_to_le32(qkey & BIT(31) ? qp->attr.qkey : qkey);
	memcpy(header->source_gid, vector.source_gid, 16);
	memcpy(header->destination_gid, vector.destination_gid, 16);

	if (rdma_is_multicast_addr((struct in6_addr *)vector.destination_gid)) {
		struct multicast multicast = { qp->device, header, payload };

		ropcie_for_each_peer(qp->device->node, send_to_member, &multicast);
		return 0;
	}
	peer = ropcie_peer_by_mac(qp->device->node, vector.mac);
	if (!peer) {
		ropcie_count(qp->device, ROPCIE_DATAGRAMS_DROPPED);
		return 0;
	}
	err = ropcie_qp_send_to(qp, peer, header, payload);
	ropcie_peer_put(peer);
	return err;
}

int ropcie_requester_send(struct ropcie_qp *qp, const struct ropcie_request *request,
			  const struct ropcie_send_wqe *wqe)
{
	struct ropcie_send_queue *sq = &qp->sq;
	struct ropcie_header header;
	struct iov_iter payload;
	struct kvec inline_data;
	u32 offset, length;
	int err;

	fill(qp, request, wqe, &header, &offset, &length);
	if (wqe->flags & ROPCIE_WR_INLINE) {
		inline_data.iov_base = (void *)(wqe + 1) + offset;
		inline_data.iov_len = length;
		iov_iter_kvec(&payload, ITER_SOURCE, &inline_data, 1, length);
	} else {
		int count = ropcie_gather(qp, wqe, offset, length);

		if (count < 0)
			return count;
		iov_iter_bvec(&payload, ITER_SOURCE, sq->bvecs, count, length);
	}

	if (qp->service == ROPCIE_SERVICE_UD)
		err = send_datagram(qp, wqe, &header, &payload);
	else
		err = ropcie_qp_send(qp, &header, &payload);
	ropcie_gather_release(qp);
	return err;
}
