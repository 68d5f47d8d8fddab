/* SPDX-License-Identifier: GPL-2.0-only */
/* What `rdma resource show qp|cq|mr -d` tells beyond what the core knows. */
#ifndef ROPCIE_RESTRACK_H
#define ROPCIE_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct sk_buff;

int ropcie_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ib);
int ropcie_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ib);
int ropcie_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ib);

#endif
