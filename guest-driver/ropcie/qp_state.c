// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs: modify and query. */

#include <rdma/ib_cache.h>

#include "requester.h"
#include "responder.h"

static int check_attributes(struct ropcie_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index)
		return -EINVAL;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > ROPCIE_MAX_READS)
		return -EINVAL;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > ROPCIE_MAX_READS)
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT) && attr->timeout > 31)
		return -EINVAL;
	if ((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7)
		return -EINVAL;
	if ((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > 7)
		return -EINVAL;
	if ((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31)
		return -EINVAL;
	if (mask & (IB_QP_CAP | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	if ((mask & IB_QP_AV) && (attr->ah_attr.type != RDMA_AH_ATTR_TYPE_ROCE ||
				  !(rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH)))
		return -EINVAL;
	return 0;
}

static void take_path(struct ropcie_qp *qp, const struct ib_qp_attr *attr)
{
	struct ropcie_peer *peer = ropcie_peer_by_mac(qp->device->node, attr->ah_attr.roce.dmac);

	WRITE_ONCE(qp->mac, ether_addr_to_u64(attr->ah_attr.roce.dmac));
	qp->attr.ah_attr = attr->ah_attr;
	qp->attr.ah_attr.grh.sgid_attr = NULL;
	peer = xchg(&qp->peer, peer);
	if (peer)
		ropcie_peer_put(peer);
}

static int take_attributes(struct ropcie_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ropcie_responder *responder = &qp->responder;
	struct ropcie_send_queue *sq = &qp->sq;
	struct ropcie_response *responses;

	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && !responder->responses) {
		/* Two for each request that has an answer: it, and an acknowledgement between it and the next. */
		responses = kcalloc(4 * ROPCIE_MAX_READS, sizeof(*responses), GFP_KERNEL);
		if (!responses)
			return -ENOMEM;
		responder->response_mask = 4 * ROPCIE_MAX_READS - 1;
		responder->responses = responses;
	}
	if (mask & IB_QP_AV)
		take_path(qp, attr);
	if (mask & IB_QP_PORT)
		qp->attr.port_num = attr->port_num;
	if (mask & IB_QP_PKEY_INDEX)
		qp->attr.pkey_index = attr->pkey_index;
	if (mask & IB_QP_QKEY)
		qp->attr.qkey = attr->qkey;
	if (mask & IB_QP_ACCESS_FLAGS)
		qp->attr.qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PATH_MTU)
		qp->attr.path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		qp->attr.dest_qp_num = attr->dest_qp_num & ROPCIE_PSN_MASK;
	if (mask & IB_QP_RQ_PSN) {
		qp->attr.rq_psn = attr->rq_psn & ROPCIE_PSN_MASK;
		responder->psn = qp->attr.rq_psn;
	}
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		qp->attr.min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_TIMEOUT)
		qp->attr.timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT) {
		qp->attr.retry_cnt = attr->retry_cnt;
		sq->retries = attr->retry_cnt;
	}
	if (mask & IB_QP_RNR_RETRY) {
		qp->attr.rnr_retry = attr->rnr_retry;
		sq->rnr_retries = attr->rnr_retry;
	}
	if (mask & IB_QP_SQ_PSN) {
		qp->attr.sq_psn = attr->sq_psn & ROPCIE_PSN_MASK;
		sq->psn = qp->attr.sq_psn;
		sq->begin = sq->psn;
		sq->sent = sq->psn;
		sq->acked = sq->psn;
	}
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->attr.max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_PATH_MIG_STATE)
		qp->attr.path_mig_state = attr->path_mig_state;
	return 0;
}

static void to_reset(struct ropcie_qp *qp)
{
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	ropcie_qp_quiesce(qp);
	if (qp->has_sq) {
		spin_lock_bh(&qp->sq.lock);
		ropcie_send_queue_reset(qp);
		spin_unlock_bh(&qp->sq.lock);
	}
	spin_lock_bh(&qp->responder.lock);
	ropcie_responder_reset(qp);
	spin_unlock_bh(&qp->responder.lock);
	/* What ran meanwhile, on another CPU, has found the state by now. */
	ropcie_qp_quiesce(qp);
	WRITE_ONCE(qp->mac, 0);
}

/* What its work has not come to yet. A process that posts all the while is not waited for. */
static void flush_rest(struct ropcie_qp *qp)
{
	u32 rounds = qp->sq.queue.entry_count / ROPCIE_FLUSH_BUDGET + 1;
	bool more = true;

	while (more && rounds--) {
		spin_lock_bh(&qp->sq.lock);
		more = ropcie_send_queue_flush(qp);
		spin_unlock_bh(&qp->sq.lock);
	}
}

/* An error may have come in between, and stays. */
static void change(struct ropcie_qp *qp, enum ib_qp_state from, enum ib_qp_state to, bool event)
{
	if (from == IB_QPS_SQE)
		flush_rest(qp);
	spin_lock_bh(&qp->sq.lock);
	if (cmpxchg(&qp->state, from, to) == from) {
		if (from == IB_QPS_SQE)
			qp->sq.stalled = false;
		qp->sq.drained_event = event;
		if (to == IB_QPS_SQD)
			ropcie_completer_retire(qp);
	}
	spin_unlock_bh(&qp->sq.lock);
}

int ropcie_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct ropcie_qp *qp = to_ropcie_qp(ib);
	enum ib_qp_state from, to;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	mutex_lock(&qp->modify_mutex);
	from = READ_ONCE(qp->state);
	if ((mask & IB_QP_CUR_STATE) && attr->cur_qp_state != from) {
		err = -EINVAL;
		goto out;
	}
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	if (!ib_modify_qp_is_ok(from, to, ib->qp_type, mask)) {
		err = -EINVAL;
		goto out;
	}
	err = check_attributes(qp, attr, mask);
	if (err)
		goto out;
	err = take_attributes(qp, attr, mask);
	if (err)
		goto out;

	if (mask & IB_QP_STATE) {
		switch (to) {
		case IB_QPS_RESET:
			to_reset(qp);
			break;
		case IB_QPS_ERR:
			WRITE_ONCE(qp->state, IB_QPS_ERR);
			break;
		default:
			change(qp, from, to, to == IB_QPS_SQD &&
					     (mask & IB_QP_EN_SQD_ASYNC_NOTIFY) &&
					     attr->en_sqd_async_notify);
			break;
		}
	}
	ropcie_qp_run(qp);
out:
	mutex_unlock(&qp->modify_mutex);
	return err;
}

int ropcie_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	struct ropcie_qp *qp = to_ropcie_qp(ib);

	mutex_lock(&qp->modify_mutex);
	*attr = qp->attr;
	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = attr->qp_state == IB_QPS_SQD && qp->has_sq &&
			    READ_ONCE(qp->sq.done) != READ_ONCE(qp->sq.next);
	if (qp->has_sq && attr->qp_state != IB_QPS_RESET)
		attr->sq_psn = READ_ONCE(qp->sq.begin);
	if (attr->qp_state != IB_QPS_RESET && qp->service != ROPCIE_SERVICE_UD)
		attr->rq_psn = READ_ONCE(qp->responder.psn);
	mutex_unlock(&qp->modify_mutex);

	init->cap = qp->attr.cap;
	init->event_handler = ib->event_handler;
	init->qp_context = ib->qp_context;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->qp_type = ib->qp_type;
	init->sq_sig_type = qp->sq.signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	return 0;
}
