// SPDX-License-Identifier: GPL-2.0-only
/* Details for `rdma resource`: see restrack.h. */

#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "cq.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"

static struct nlattr *begin(struct sk_buff *msg)
{
	return nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
}

static int end(struct sk_buff *msg, struct nlattr *table, int failed)
{
	if (failed) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

int ropcie_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ib)
{
	struct ropcie_qp *qp = to_ropcie_qp(ib);
	struct nlattr *table = begin(msg);
	int failed = 0;

	if (!table)
		return -EMSGSIZE;
	if (qp->has_sq) {
		failed |= rdma_nl_put_driver_u32(msg, "sq-posted",
						 READ_ONCE(qp->sq.fetched));
		failed |= rdma_nl_put_driver_u32(msg, "sq-completed", READ_ONCE(qp->sq.done));
		failed |= rdma_nl_put_driver_u32_hex(msg, "sq-psn-acked",
						     READ_ONCE(qp->sq.acked));
		failed |= rdma_nl_put_driver_u32(msg, "sq-answers-awaited",
						 READ_ONCE(qp->sq.answers));
		failed |= rdma_nl_put_driver_u32(msg, "sq-rnr-wait",
						 READ_ONCE(qp->sq.rnr_wait));
	}
	failed |= rdma_nl_put_driver_u32_hex(msg, "rq-psn", READ_ONCE(qp->responder.psn));
	failed |= rdma_nl_put_driver_u32(msg, "blocked", !list_empty_careful(&qp->blocked));
	return end(msg, table, failed);
}

int ropcie_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ib)
{
	struct ropcie_cq *cq = to_ropcie_cq(ib);
	struct nlattr *table = begin(msg);
	unsigned long flags;
	u32 producer, consumer, size;
	int failed;

	if (!table)
		return -EMSGSIZE;
	spin_lock_irqsave(&cq->lock, flags);
	producer = cq->producer;
	consumer = cq->user ? READ_ONCE(cq->queue.control->consumer) : cq->consumer;
	size = cq->queue.entry_count;
	spin_unlock_irqrestore(&cq->lock, flags);
	failed = rdma_nl_put_driver_u32(msg, "size", size);
	failed |= rdma_nl_put_driver_u32(msg, "producer", producer);
	failed |= rdma_nl_put_driver_u32(msg, "consumer", consumer);
	failed |= rdma_nl_put_driver_u32(msg, "overflowed", READ_ONCE(cq->overflowed));
	return end(msg, table, failed);
}

int ropcie_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ib)
{
	struct ropcie_region *region = &to_ropcie_mr(ib)->region;
	struct nlattr *table = begin(msg);
	int failed;

	if (!table)
		return -EMSGSIZE;
	failed = rdma_nl_put_driver_u32(msg, "kind", region->kind);
	failed |= rdma_nl_put_driver_u32(msg, "valid", READ_ONCE(region->valid));
	failed |= rdma_nl_put_driver_u32_hex(msg, "access", region->access);
	failed |= rdma_nl_put_driver_u32(msg, "windows", atomic_read(&region->windows));
	return end(msg, table, failed);
}
