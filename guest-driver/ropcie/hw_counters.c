// SPDX-License-Identifier: GPL-2.0-only
/* Counters of a device: see hw_counters.h. */

#include "device.h"
#include "hw_counters.h"

static const struct rdma_stat_desc descriptions[ROPCIE_COUNTERS] = {
	[ROPCIE_SENT_PACKETS].name		= "sent_packets",
	[ROPCIE_RECEIVED_PACKETS].name		= "rcvd_packets",
	[ROPCIE_SENT_READS].name		= "sent_reads",
	[ROPCIE_SENT_ATOMICS].name		= "sent_atomics",
	[ROPCIE_SERVED_READS].name		= "served_reads",
	[ROPCIE_SERVED_ATOMICS].name		= "served_atomics",
	[ROPCIE_DUPLICATE_REQUESTS].name	= "duplicate_requests",
	[ROPCIE_OUT_OF_SEQUENCE].name		= "out_of_sequence",
	[ROPCIE_SENT_RNR_NAKS].name		= "sent_rnr_naks",
	[ROPCIE_RECEIVED_RNR_NAKS].name		= "rcvd_rnr_naks",
	[ROPCIE_SENT_NAKS].name			= "sent_naks",
	[ROPCIE_RECEIVED_NAKS].name		= "rcvd_naks",
	[ROPCIE_TIMEOUTS].name			= "timeouts",
	[ROPCIE_RETRY_EXCEEDED].name		= "retry_exceeded",
	[ROPCIE_RNR_RETRY_EXCEEDED].name	= "rnr_retry_exceeded",
	[ROPCIE_NO_ROOM].name			= "no_room",
	[ROPCIE_UNKNOWN_QP].name		= "unknown_qp",
	[ROPCIE_BAD_PACKETS].name		= "bad_packets",
	[ROPCIE_DATAGRAMS_DROPPED].name		= "datagrams_dropped",
	[ROPCIE_QKEY_VIOLATIONS].name		= "qkey_violations",
	[ROPCIE_CQ_OVERFLOWS].name		= "cq_overflows",
	[ROPCIE_BAD_RINGS].name			= "bad_rings",
	[ROPCIE_WAKEUPS].name			= "wakeups",
	[ROPCIE_LINK_UPS].name			= "link_ups",
	[ROPCIE_LINK_DOWNS].name		= "link_downs",
};

struct rdma_hw_stats *ropcie_alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descriptions, ROPCIE_COUNTERS,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int ropcie_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct ropcie_device *device = to_ropcie_device(ib);
	int i;

	if (!port || !stats)
		return -EINVAL;
	for (i = 0; i < ROPCIE_COUNTERS; i++)
		stats->value[i] = atomic64_read(&device->counters[i]);
	return ROPCIE_COUNTERS;
}
