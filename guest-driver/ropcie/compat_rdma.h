/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs in the RDMA core between the kernels this builds for, 6.1 and 6.12. */
#ifndef ROPCIE_COMPAT_RDMA_H
#define ROPCIE_COMPAT_RDMA_H

#include <linux/random.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "compat.h"

/* FLUSH and ATOMIC_WRITE came with 6.2. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define ROPCIE_ACCESS_FLUSH	IB_ACCESS_FLUSH_GLOBAL
#define ROPCIE_DEVICE_62	(IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_ATOMIC_WRITE)
#else
#define ROPCIE_ACCESS_FLUSH	0
#define ROPCIE_DEVICE_62	0
#endif

/* create_cq() got the whole bundle in 6.11. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define ROPCIE_CREATE_CQ_UDATA	struct uverbs_attr_bundle
static inline struct ib_udata *ropcie_create_cq_udata(struct uverbs_attr_bundle *attrs)
{
	return attrs ? &attrs->driver_udata : NULL;
}
#else
#define ROPCIE_CREATE_CQ_UDATA	struct ib_udata
static inline struct ib_udata *ropcie_create_cq_udata(struct ib_udata *udata)
{
	return udata;
}
#endif

#endif
