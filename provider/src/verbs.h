/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of struct verbs_context_ops, by file. */
#ifndef ROPCIE_VERBS_H
#define ROPCIE_VERBS_H

#include "provider.h"

/* pd.c */
struct ibv_pd *ropcie_alloc_pd(struct ibv_context *context);
int ropcie_dealloc_pd(struct ibv_pd *pd);
struct ibv_td *ropcie_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int ropcie_dealloc_td(struct ibv_td *td);
struct ibv_pd *ropcie_alloc_parent_domain(struct ibv_context *context,
					  struct ibv_parent_domain_init_attr *attr);
struct ibv_pd *ropcie_import_pd(struct ibv_context *context, uint32_t handle);
void ropcie_unimport_pd(struct ibv_pd *pd);
struct ibv_xrcd *ropcie_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr);
int ropcie_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_ah *ropcie_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int ropcie_destroy_ah(struct ibv_ah *ah);

/* mr.c */
struct ibv_mr *ropcie_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
			     int access);
int ropcie_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		    int access);
int ropcie_dereg_mr(struct verbs_mr *mr);
struct ibv_mr *ropcie_import_mr(struct ibv_pd *pd, uint32_t handle);
void ropcie_unimport_mr(struct ibv_mr *mr);
struct ibv_mw *ropcie_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int ropcie_dealloc_mw(struct ibv_mw *mw);
int ropcie_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

/* cq.c */
struct ibv_cq *ropcie_create_cq(struct ibv_context *context, int cqe,
				struct ibv_comp_channel *channel, int vector);
int ropcie_resize_cq(struct ibv_cq *cq, int cqe);
int ropcie_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int ropcie_destroy_cq(struct ibv_cq *cq);
int ropcie_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc);
int ropcie_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* cq_ex.c */
struct ibv_cq_ex *ropcie_create_cq_ex(struct ibv_context *context,
				      struct ibv_cq_init_attr_ex *attr);

/* srq.c */
struct ibv_srq *ropcie_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *ropcie_create_srq_ex(struct ibv_context *context,
				     struct ibv_srq_init_attr_ex *attr);
int ropcie_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int ropcie_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int ropcie_destroy_srq(struct ibv_srq *srq);
int ropcie_get_srq_num(struct ibv_srq *srq, uint32_t *number);
int ropcie_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* qp.c */
struct ibv_qp *ropcie_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *ropcie_create_qp_ex(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *ropcie_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr);
int ropcie_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int ropcie_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init);
int ropcie_destroy_qp(struct ibv_qp *qp);

/* post.c */
int ropcie_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int ropcie_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* false in the states that come before RTS. */
bool ropcie_may_send(const struct ibv_qp *qp);
/* Writes a receive request; 0 or errno. */
int ropcie_fill_receive(struct ropcie_ring *ring, uint32_t producer, uint32_t max_sge,
			const struct ibv_recv_wr *wr);
/* One system call: the kernel looks at the rings. 0 or errno. */
int ropcie_wake(struct ibv_qp *qp);

/* wr.c: the ibv_wr_* functions of this type. EOPNOTSUPP: one of @flags is not there. */
int ropcie_set_wr_functions(struct ropcie_qp *qp, enum ibv_qp_type type, uint64_t flags);
/* ibv_qp_to_qp_ex() finds them from here on. */
void ropcie_announce_wr_functions(struct ropcie_qp *qp);

#endif
