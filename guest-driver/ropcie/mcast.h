/* SPDX-License-Identifier: GPL-2.0-only */
/* Multicast groups: which queue pairs of this node listen to a group's GID. */
#ifndef ROPCIE_MCAST_H
#define ROPCIE_MCAST_H

#include <rdma/ib_verbs.h>

struct ropcie_device;
struct ropcie_qp;

/* Calls @visit for each queue pair of the group. softirq. */
void ropcie_multicast_for_each(struct ropcie_device *device, const u8 *gid,
			       void (*visit)(struct ropcie_qp *qp, void *context), void *context);
void ropcie_multicast_destroy(struct ropcie_device *device);

/* ib_device_ops */
int ropcie_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);
int ropcie_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);

#endif
