// SPDX-License-Identifier: GPL-2.0-only

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>

#include "client.h"
#include "neighbour.h"
#include "netdev.h"
#include "node.h"
#include "path.h"

/* As IPoIB's: more would not fit into an IPv4 packet with its fragments' offsets in units of 8. */
#define MTU_MAX		65520
#define FRAME_MAX	(MTU_MAX + VLAN_ETH_HLEN)
#define HEAD_LENGTH	256	/* of a received frame: headers of all protocols that one meets */

struct netdev_private {
	struct ropcie_node *node;
};

static const struct net_device_ops netdev_ops;

struct ropcie_node *ropcie_node_of(struct net_device *netdev)
{
	if (netdev->netdev_ops != &netdev_ops)
		return NULL;
	return ((struct netdev_private *)netdev_priv(netdev))->node;
}

static struct ropcie_node *node_of(struct net_device *netdev)
{
	return ((struct netdev_private *)netdev_priv(netdev))->node;
}

/* ---- Sending ---- */

/* Under RCU. NULL: to all. */
static struct ropcie_peer *find_peer(struct ropcie_node *node, const u8 *mac)
{
	struct ropcie_peer *peer;

	if (is_multicast_ether_addr(mac))
		return NULL;
	list_for_each_entry_rcu(peer, &node->peers, list)
		if (ether_addr_equal(peer->mac, mac))
			return peer->loopback ? NULL : peer;
	return NULL;
}

static u16 netdev_select_queue(struct net_device *netdev, struct sk_buff *skb,
			       struct net_device *sb_dev)
{
	struct ropcie_peer *peer;
	u16 queue = 0;

	if (skb_headlen(skb) < ETH_HLEN)
		return 0;
	rcu_read_lock();
	peer = find_peer(node_of(netdev), ((struct ethhdr *)skb->data)->h_dest);
	if (peer)
		queue = READ_ONCE(peer->queue);
	rcu_read_unlock();
	return queue < netdev->real_num_tx_queues ? queue : 0;
}

static void count_sent(struct net_device *netdev, const struct sk_buff *skb, int err)
{
	if (err)
		dev_core_stats_tx_dropped_inc(netdev);
	else
		dev_sw_netstats_tx_add(netdev, 1, skb->len);
}

static void send_to_all(struct net_device *netdev, const struct sk_buff *skb)
{
	struct ropcie_node *node = node_of(netdev);
	struct ropcie_path *path;
	struct ropcie_peer *peer;

	list_for_each_entry_rcu(peer, &node->peers, list) {
		path = rcu_dereference(peer->path);
		if (path && !peer->loopback)
			count_sent(netdev, skb, ropcie_path_send_frame(path, skb));
	}
}

static int send_to(struct ropcie_peer *peer, const struct sk_buff *skb)
{
	struct ropcie_path *path = rcu_dereference(peer->path);

	return path ? ropcie_path_send_frame(path, skb) : -ENOLINK;
}

static netdev_tx_t netdev_start_xmit_frame(struct sk_buff *skb, struct net_device *netdev)
{
	struct netdev_queue *queue = skb_get_tx_queue(netdev, skb);
	struct ropcie_peer *peer;
	int err;

	rcu_read_lock();
	peer = find_peer(node_of(netdev), ((struct ethhdr *)skb->data)->h_dest);
	if (!peer) {
		send_to_all(netdev, skb);
		goto sent;
	}
	err = send_to(peer, skb);
	if (err == -EAGAIN && READ_ONCE(peer->queue) == skb_get_queue_mapping(skb)) {
		netif_tx_stop_queue(queue);
		/* Room that there is from here on wakes the queue, hence once more. */
		smp_mb();
		err = send_to(peer, skb);
		if (err == -EAGAIN) {
			rcu_read_unlock();
			return NETDEV_TX_BUSY;
		}
		netif_tx_wake_queue(queue);
	}
	count_sent(netdev, skb, err);
sent:
	rcu_read_unlock();
	dev_consume_skb_any(skb);
	return NETDEV_TX_OK;
}

void ropcie_netdev_room(struct ropcie_peer *peer)
{
	struct net_device *netdev = peer->node->netdev;
	unsigned int queue = READ_ONCE(peer->queue);

	if (netif_running(netdev) && queue < netdev->real_num_tx_queues)
		netif_tx_wake_queue(netdev_get_tx_queue(netdev, queue));
}

/* ---- Receiving ---- */

static struct sk_buff *copy_frame(struct ropcie_path *path, const struct ropcie_record *record)
{
	struct sk_buff *skb;
	u32 head = min_t(u32, record->length, HEAD_LENGTH);
	int err;

	if (record->length <= HEAD_LENGTH) {
		skb = napi_alloc_skb(&path->napi, record->length);
		if (skb)
			skb_put_data(skb, record->payload, record->length);
		return skb;
	}
	skb = alloc_skb_with_frags(NET_SKB_PAD + NET_IP_ALIGN + head, record->length - head, 3,
				   &err, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	skb_put(skb, head);
	skb->data_len = record->length - head;
	skb->len = record->length;
	if (skb_store_bits(skb, 0, record->payload, record->length)) {
		kfree_skb(skb);
		return NULL;
	}
	return skb;
}

void ropcie_netdev_receive(struct ropcie_path *path, const struct ropcie_record *record)
{
	struct net_device *netdev = path->node->netdev;
	struct sk_buff *skb;

	if (!netif_running(netdev) || record->length < ETH_HLEN || record->length > FRAME_MAX) {
		dev_core_stats_rx_dropped_inc(netdev);
		return;
	}
	skb = copy_frame(path, record);
	if (!skb) {
		dev_core_stats_rx_dropped_inc(netdev);
		return;
	}
	/* The skb holds what was copied; the peer cannot change it any more. */
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	if (record->flags & ROPCIE_SLOT_CHECKSUM &&
	    !skb_partial_csum_set(skb, lower_16_bits(record->detail),
				  upper_16_bits(record->detail))) {
		dev_core_stats_rx_dropped_inc(netdev);
		kfree_skb(skb);
		return;
	}
	skb->dev = netdev;
	skb->protocol = eth_type_trans(skb, netdev);
	skb_record_rx_queue(skb, 0);
	dev_sw_netstats_rx_add(netdev, record->length);
	napi_gro_receive(&path->napi, skb);
}

/* ---- Life ---- */

static int netdev_init(struct net_device *netdev)
{
	netdev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	return netdev->tstats ? 0 : -ENOMEM;
}

static void netdev_uninit(struct net_device *netdev)
{
	free_percpu(netdev->tstats);
}

static int netdev_open(struct net_device *netdev)
{
	netif_tx_start_all_queues(netdev);
	/* Going down has flushed the neighbours. */
	ropcie_neighbours_restore(node_of(netdev));
	ropcie_clients_port(node_of(netdev));
	return 0;
}

static int netdev_stop(struct net_device *netdev)
{
	netif_tx_stop_all_queues(netdev);
	ropcie_clients_port(node_of(netdev));
	return 0;
}

static const struct net_device_ops netdev_ops = {
	.ndo_init		= netdev_init,
	.ndo_uninit		= netdev_uninit,
	.ndo_open		= netdev_open,
	.ndo_stop		= netdev_stop,
	.ndo_start_xmit		= netdev_start_xmit_frame,
	.ndo_select_queue	= netdev_select_queue,
	.ndo_get_stats64	= dev_get_tstats64,
	.ndo_validate_addr	= eth_validate_addr,
};

int ropcie_netdev_create(struct ropcie_node *node)
{
	struct net_device *netdev;

	netdev = alloc_netdev_mqs(sizeof(struct netdev_private), "ropcie%d", NET_NAME_ENUM,
				  ether_setup, ROPCIE_LINKS_MAX, 1);
	if (!netdev)
		return -ENOMEM;
	((struct netdev_private *)netdev_priv(netdev))->node = node;
	netdev->netdev_ops = &netdev_ops;
	netdev->ethtool_ops = &ropcie_ethtool_ops;
	netdev->min_mtu = ETH_MIN_MTU;
	netdev->max_mtu = MTU_MAX;
	netdev->mtu = MTU_MAX;
	netdev->features = NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
	netdev->hw_features = NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM;
	netdev->vlan_features = netdev->features;
	/*
	 * MACs are how peers know each other: told in the handshake, and not to be changed (no
	 * ndo_set_mac_address).
	 */
	eth_hw_addr_set(netdev, node->mac);
	SET_NETDEV_DEV(netdev, node->parent);
	node->netdev = netdev;
	return 0;
}

int ropcie_netdev_register(struct ropcie_node *node)
{
	netif_carrier_off(node->netdev);
	netif_set_real_num_tx_queues(node->netdev, 1);
	return register_netdev(node->netdev);
}

void ropcie_netdev_unregister(struct ropcie_node *node)
{
	unregister_netdev(node->netdev);
}

void ropcie_netdev_destroy(struct ropcie_node *node)
{
	free_netdev(node->netdev);
	node->netdev = NULL;
}
