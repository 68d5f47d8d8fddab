/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a device: `rdma statistic`, /sys/class/infiniband/DEVICE/ports/1/hw_counters. */
#ifndef ROPCIE_HW_COUNTERS_H
#define ROPCIE_HW_COUNTERS_H

#include <rdma/ib_verbs.h>

enum ropcie_counter {
	ROPCIE_SENT_PACKETS,
	ROPCIE_RECEIVED_PACKETS,
	ROPCIE_SENT_READS,
	ROPCIE_SENT_ATOMICS,
	ROPCIE_SERVED_READS,
	ROPCIE_SERVED_ATOMICS,
	ROPCIE_DUPLICATE_REQUESTS,
	ROPCIE_OUT_OF_SEQUENCE,
	ROPCIE_SENT_RNR_NAKS,
	ROPCIE_RECEIVED_RNR_NAKS,
	ROPCIE_SENT_NAKS,
	ROPCIE_RECEIVED_NAKS,
	ROPCIE_TIMEOUTS,
	ROPCIE_RETRY_EXCEEDED,
	ROPCIE_RNR_RETRY_EXCEEDED,
	ROPCIE_NO_ROOM,
	ROPCIE_UNKNOWN_QP,
	ROPCIE_BAD_PACKETS,
	ROPCIE_DATAGRAMS_DROPPED,
	ROPCIE_QKEY_VIOLATIONS,
	ROPCIE_CQ_OVERFLOWS,
	ROPCIE_BAD_RINGS,
	ROPCIE_WAKEUPS,
	ROPCIE_LINK_UPS,
	ROPCIE_LINK_DOWNS,
	ROPCIE_COUNTERS
};

struct rdma_hw_stats *ropcie_alloc_hw_port_stats(struct ib_device *ib, u32 port);
int ropcie_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index);

#endif
