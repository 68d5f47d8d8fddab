// SPDX-License-Identifier: GPL-2.0-only
/* Receive requests: taken when a message needs one, completed at its end. */

#include "responder.h"

int ropcie_receive_begin(struct ropcie_qp *qp, struct ropcie_srq *srq)
{
	struct ropcie_responder *responder = &qp->responder;
	int err;

	if (responder->has_receive)
		return 0;
	if (srq)
		err = ropcie_srq_take(srq, &responder->receive);
	else if (responder->has_rq)
		err = ropcie_receive_queue_take(&responder->rq, &responder->receive, NULL);
	else
		err = -EAGAIN;
	if (err == -EINVAL) {
		ropcie_count(qp->device, ROPCIE_BAD_RINGS);
		ibdev_warn_ratelimited(&qp->device->ib, "QP %u: malformed receive queue\n",
				       qp->ib.qp_num);
	}
	if (err)
		return err;
	responder->has_receive = true;
	if (qp->service == ROPCIE_SERVICE_XRC) {
		refcount_inc(&srq->object->references);
		responder->receive_srq = srq;
	}
	return 0;
}

static void abandon(struct ropcie_qp *qp, void *srq)
{
	struct ropcie_responder *responder = &qp->responder;

	spin_lock_bh(&responder->lock);
	if (responder->receive_srq == srq) {
		responder->has_receive = false;
		responder->receive_srq = NULL;
		ropcie_object_put(((struct ropcie_srq *)srq)->object);
	}
	spin_unlock_bh(&responder->lock);
}

void ropcie_receive_abandon(struct ropcie_srq *srq)
{
	ropcie_for_each_qp(to_ropcie_device(srq->ib.device), abandon, srq);
}

void ropcie_receive_complete(struct ropcie_qp *qp, struct ropcie_cqe *cqe)
{
	struct ropcie_responder *responder = &qp->responder;
	struct ropcie_srq *srq = responder->receive_srq;
	struct ropcie_cq *cq = qp->recv_cq;

	if (srq)
		cq = to_ropcie_cq(srq->ib.ext.cq);
	cqe->wr_id = responder->receive.wr_id;
	cqe->qp_number = qp->ib.qp_num;
	cqe->qp = (uintptr_t)&qp->ib;
	responder->has_receive = false;
	responder->receive_srq = NULL;
	if (cq)
		ropcie_cq_push(cq, cqe);
	if (srq)
		ropcie_object_put(srq->object);
}
