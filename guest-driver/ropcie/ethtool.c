// SPDX-License-Identifier: GPL-2.0-only

#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "link.h"
#include "netdev.h"
#include "node.h"
#include "path.h"

#define STATISTICS	17	/* of each link */

static int get_link_ksettings(struct net_device *netdev, struct ethtool_link_ksettings *settings)
{
	unsigned int mbps = ropcie_node_mbps(ropcie_node_of(netdev));

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	settings->base.speed = mbps && netif_carrier_ok(netdev) ? mbps : SPEED_UNKNOWN;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

static void get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->bus_info, dev_name(ropcie_node_of(netdev)->parent), sizeof(info->bus_info));
}

/* RTNL from here on: links neither come nor go. */
static unsigned int count_links(const struct ropcie_node *node)
{
	unsigned int i, count = 0;

	for (i = 0; i < ROPCIE_LINKS_MAX; i++)
		count += !!node->links[i];
	return count;
}

static int get_sset_count(struct net_device *netdev, int set)
{
	return set == ETH_SS_STATS ? count_links(ropcie_node_of(netdev)) * STATISTICS : -EOPNOTSUPP;
}

static void name_ring(u8 **text, unsigned int link, const char *ring)
{
	ethtool_sprintf(text, "link%u_tx_%s", link, ring);
	ethtool_sprintf(text, "link%u_tx_%s_bytes", link, ring);
	ethtool_sprintf(text, "link%u_tx_%s_full", link, ring);
	ethtool_sprintf(text, "link%u_rx_%s", link, ring);
	ethtool_sprintf(text, "link%u_rx_%s_bytes", link, ring);
}

static void get_strings(struct net_device *netdev, u32 set, u8 *text)
{
	struct ropcie_node *node = ropcie_node_of(netdev);
	unsigned int i;

	if (set != ETH_SS_STATS)
		return;
	for (i = 0; i < ROPCIE_LINKS_MAX; i++) {
		if (!node->links[i])
			continue;
		name_ring(&text, i, "packets");
		name_ring(&text, i, "frames");
		ethtool_sprintf(&text, "link%u_doorbells_sent", i);
		ethtool_sprintf(&text, "link%u_doorbells_received", i);
		ethtool_sprintf(&text, "link%u_polls", i);
		ethtool_sprintf(&text, "link%u_found_early", i);
		ethtool_sprintf(&text, "link%u_found_late", i);
		ethtool_sprintf(&text, "link%u_ups", i);
		ethtool_sprintf(&text, "link%u_protocol_errors", i);
	}
}

static u64 *value_ring(u64 *data, const struct ropcie_tx *tx, const struct ropcie_rx *rx)
{
	*data++ = tx->packets;
	*data++ = tx->bytes;
	*data++ = tx->full;
	*data++ = rx->packets;
	*data++ = rx->bytes;
	return data;
}

static void get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats, u64 *data)
{
	struct ropcie_node *node = ropcie_node_of(netdev);
	const struct ropcie_path *path;
	unsigned int i, ring;

	for (i = 0; i < ROPCIE_LINKS_MAX; i++) {
		if (!node->links[i])
			continue;
		path = &node->links[i]->path;
		for (ring = 0; ring < ROPCIE_RINGS; ring++)
			data = value_ring(data, &path->tx[ring], &path->rx[ring]);
		*data++ = atomic64_read(&path->count.bells_sent);
		*data++ = path->count.bells_received;
		*data++ = path->count.polls;
		*data++ = path->count.found_early;
		*data++ = path->count.found_late;
		*data++ = node->links[i]->ups;
		*data++ = path->count.nonsense;
	}
}

const struct ethtool_ops ropcie_ethtool_ops = {
	.get_drvinfo		= get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= get_link_ksettings,
	.get_sset_count		= get_sset_count,
	.get_strings		= get_strings,
	.get_ethtool_stats	= get_ethtool_stats,
	.get_ts_info		= ethtool_op_get_ts_info,
};
