// SPDX-License-Identifier: GPL-2.0-only
/* From SGEs to the pages of a packet's payload, and back. */

#include "requester.h"

int ropcie_gather(struct ropcie_qp *qp, const struct ropcie_send_wqe *wqe, u32 offset, u32 length)
{
	const struct ropcie_sge *sges = (const struct ropcie_sge *)(wqe + 1);
	struct ropcie_send_queue *sq = &qp->sq;
	unsigned int bvecs = 0, i;

	for (i = 0; i < wqe->sge_count && length; i++) {
		struct ropcie_span *span = &sq->spans[i];
		u32 chunk;

		if (offset >= sges[i].length) {
			offset -= sges[i].length;
			continue;
		}
		chunk = min(sges[i].length - offset, length);
		if (ropcie_span_get(qp->device, &qp->accessor, sges[i].lkey, 0,
				    sges[i].address + offset, chunk, span)) {
			ropcie_gather_release(qp);
			return -EACCES;
		}
		sq->span_count = i + 1;
		bvecs += ropcie_span_bvecs(span, chunk, &sq->bvecs[bvecs]);
		length -= chunk;
		offset = 0;
	}
	return bvecs;
}

void ropcie_gather_release(struct ropcie_qp *qp)
{
	unsigned int i;

	for (i = 0; i < qp->sq.span_count; i++)
		ropcie_span_put(&qp->sq.spans[i]);
	qp->sq.span_count = 0;
}

int ropcie_scatter(struct ropcie_qp *qp, const struct ropcie_accessor *who,
		   const struct ropcie_sge *sges, u32 count, u32 offset, const void *data,
		   u32 length)
{
	u32 i;

	for (i = 0; i < count && length; i++) {
		struct ropcie_span span;
		u32 chunk;

		if (offset >= sges[i].length) {
			offset -= sges[i].length;
			continue;
		}
		chunk = min(sges[i].length - offset, length);
		if (ropcie_span_get(qp->device, who, sges[i].lkey, IB_ACCESS_LOCAL_WRITE,
				    sges[i].address + offset, chunk, &span))
			return -EACCES;
		ropcie_span_write(&span, data, chunk);
		ropcie_span_put(&span);
		data += chunk;
		length -= chunk;
		offset = 0;
	}
	return length ? -EMSGSIZE : 0;
}
