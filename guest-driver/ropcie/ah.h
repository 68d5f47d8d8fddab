/* SPDX-License-Identifier: GPL-2.0-only */
/* Address handles: where datagrams go. */
#ifndef ROPCIE_AH_H
#define ROPCIE_AH_H

#include <linux/etherdevice.h>
#include <rdma/ib_verbs.h>

#include "device.h"

/* Found by number from a work request; it may be destroyed at any time, its memory stays as long as RCU readers do. */
struct ropcie_address_vector {
	u32 number;
	struct ib_pd *pd;
	u8 mac[ETH_ALEN];
	u8 source_gid[16];
	u8 destination_gid[16];
	struct rcu_head rcu;
};

struct ropcie_ah {
	struct ib_ah ib;
	struct ropcie_address_vector *vector;
	struct rdma_ah_attr attr;	/* for query_ah() */
};

static inline struct ropcie_ah *to_ropcie_ah(struct ib_ah *ib)
{
	return container_of(ib, struct ropcie_ah, ib);
}

/* Copies the vector of this number and protection domain; false: there is none. */
bool ropcie_address_vector_find(struct ropcie_device *device, u32 number, struct ib_pd *pd,
				struct ropcie_address_vector *copy);

/* ib_device_ops */
int ropcie_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int ropcie_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int ropcie_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int ropcie_destroy_ah(struct ib_ah *ib, u32 flags);

#endif
