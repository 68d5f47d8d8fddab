/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory regions and windows. */
#ifndef ROPCIE_MR_H
#define ROPCIE_MR_H

#include "region.h"

struct ib_umem;
struct ropcie_qp;
struct ropcie_send_wqe;

struct ropcie_mr {
	struct ib_mr ib;
	struct ropcie_region region;
	struct ib_umem *umem;
};

struct ropcie_mw {
	struct ib_mw ib;
	struct ropcie_region region;
};

static inline struct ropcie_mr *to_ropcie_mr(struct ib_mr *ib)
{
	return container_of(ib, struct ropcie_mr, ib);
}

static inline struct ropcie_mw *to_ropcie_mw(struct ib_mw *ib)
{
	return container_of(ib, struct ropcie_mw, ib);
}

/* What work requests do to keys; any context. -EACCES or -EINVAL: the request ends in error. */
int ropcie_mr_fast_register(struct ropcie_device *device, const struct ropcie_accessor *who,
			    const struct ropcie_send_wqe *wqe);
int ropcie_mw_bind(struct ropcie_device *device, const struct ropcie_accessor *who,
		   const struct ropcie_send_wqe *wqe);
int ropcie_key_invalidate(struct ropcie_device *device, const struct ropcie_accessor *who, u32 key);

/* ib_device_ops */
struct ib_mr *ropcie_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *ropcie_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				 struct ib_udata *udata);
struct ib_mr *ropcie_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				   int access, struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *ropcie_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_pages);
int ropcie_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int count, unsigned int *offset);
int ropcie_dereg_mr(struct ib_mr *ib, struct ib_udata *udata);
int ropcie_alloc_mw(struct ib_mw *ib, struct ib_udata *udata);
int ropcie_dealloc_mw(struct ib_mw *ib);

#endif
