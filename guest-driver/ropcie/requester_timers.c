// SPDX-License-Identifier: GPL-2.0-only
/* When no answer comes, and when the peer asks for time. */

#include "requester.h"

/* How long to wait for an answer: IBA allows one to four times 4.096 us * 2^timeout. */
unsigned long ropcie_requester_patience(const struct ropcie_qp *qp)
{
	u64 ns = 4 * (4096ULL << min_t(u8, qp->attr.timeout, 31));

	return max(nsecs_to_jiffies(ns), 2UL);
}

static void expired(struct ropcie_qp *qp)
{
	struct ropcie_send_queue *sq = &qp->sq;

	ropcie_count(qp->device, ROPCIE_TIMEOUTS);
	if (!sq->retries) {
		ropcie_count(qp->device, ROPCIE_RETRY_EXCEEDED);
		ropcie_completer_fail(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	sq->retries--;
	sq->progress = jiffies;
	ropcie_requester_rewind(qp, sq->acked);
	mod_timer(&sq->timer, jiffies + ropcie_requester_patience(qp));
	if (ropcie_requester_run(qp, ROPCIE_REQUESTER_BUDGET))
		ropcie_qp_schedule(qp);
}

void ropcie_requester_timeout(struct timer_list *timer)
{
	struct ropcie_qp *qp = from_timer(qp, timer, sq.timer);
	struct ropcie_send_queue *sq = &qp->sq;
	enum ib_qp_state state = READ_ONCE(qp->state);
	unsigned long due;

	spin_lock(&sq->lock);
	if (sq->acked == sq->sent || (state != IB_QPS_RTS && state != IB_QPS_SQD))
		goto out;
	due = sq->progress + ropcie_requester_patience(qp);
	if (sq->rnr_wait || !list_empty_careful(&qp->blocked))
		mod_timer(timer, jiffies + ropcie_requester_patience(qp));
	else if (time_before(jiffies, due))
		mod_timer(timer, due);
	else
		expired(qp);
out:
	spin_unlock(&sq->lock);
}

enum hrtimer_restart ropcie_requester_rnr_over(struct hrtimer *timer)
{
	struct ropcie_qp *qp = container_of(timer, struct ropcie_qp, sq.rnr_timer);

	spin_lock(&qp->sq.lock);
	qp->sq.rnr_wait = false;
	qp->sq.progress = jiffies;
	if (ropcie_requester_run(qp, ROPCIE_REQUESTER_BUDGET))
		ropcie_qp_schedule(qp);
	spin_unlock(&qp->sq.lock);
	return HRTIMER_NORESTART;
}
