// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node without links: a netdev that carries nothing, and the loopback peer alone. The transport runs on it as on any
 * node (port.h); for tests of one machine, without an NTB.
 *
 *	make CONFIG_ROPCIE_LOOPBACK=1 ... modules
 *	insmod ropcie.ko drop=1000	# one packet of a thousand is lost
 */

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/uio.h>

#include "../packet.h"
#include "../port.h"

static unsigned int drop;
module_param(drop, uint, 0644);
MODULE_PARM_DESC(drop, "Lose one packet of so many; 0: none");

static unsigned int room = 256;
module_param(room, uint, 0644);
MODULE_PARM_DESC(room, "Packets that may be under way");

struct packet {
	struct list_head list;
	struct ropcie_header header;
	size_t length;
	u8 payload[];
};

struct ropcie_peer {
	struct ropcie_node *node;
	spinlock_t lock;
	struct list_head packets;
	unsigned int count;
	unsigned int sent;
	bool wants_room;
	struct tasklet_struct tasklet;
};

struct ropcie_node {
	struct platform_device *parent;
	struct net_device *netdev;
	void *transport;
	struct ropcie_peer loopback;
};

static struct ropcie_node the_node;

struct ropcie_peer *ropcie_peer_by_mac(struct ropcie_node *node, const u8 *mac)
{
	return ether_addr_equal(mac, node->netdev->dev_addr) ? &node->loopback : NULL;
}

void ropcie_peer_get(struct ropcie_peer *peer)
{
}

void ropcie_peer_put(struct ropcie_peer *peer)
{
}

void ropcie_for_each_peer(struct ropcie_node *node,
			  void (*visit)(struct ropcie_peer *peer, void *context), void *context)
{
	visit(&node->loopback, context);
}

struct ropcie_node *ropcie_peer_node(const struct ropcie_peer *peer)
{
	return peer->node;
}

const u8 *ropcie_peer_mac(const struct ropcie_peer *peer)
{
	return peer->node->netdev->dev_addr;
}

bool ropcie_peer_is_loopback(const struct ropcie_peer *peer)
{
	return true;
}

u32 ropcie_peer_epoch(const struct ropcie_peer *peer)
{
	return 1;
}

int ropcie_peer_send(struct ropcie_peer *peer, const struct ropcie_header *header,
		     struct iov_iter *payload)
{
	size_t length = iov_iter_count(payload);
	struct packet *packet;
	int err = 0;

	if (length > ROPCIE_MTU)
		return -EMSGSIZE;
	packet = kmalloc(sizeof(*packet) + length, GFP_ATOMIC);
	if (!packet)
		return 0;
	packet->header = *header;
	packet->length = length;

	spin_lock_bh(&peer->lock);
	if (peer->count >= room) {
		peer->wants_room = true;
		err = -EAGAIN;
	} else if (drop && !(++peer->sent % drop)) {
		kfree(packet);
		packet = NULL;
	} else {
		if (copy_from_iter(packet->payload, length, payload) != length)
			err = -EFAULT;
		else
			list_add_tail(&packet->list, &peer->packets);
	}
	if (packet && !err)
		peer->count++;
	spin_unlock_bh(&peer->lock);
	if (err)
		kfree(packet);
	else
		tasklet_schedule(&peer->tasklet);
	return err;
}

static void deliver(struct tasklet_struct *tasklet)
{
	struct ropcie_peer *peer = from_tasklet(peer, tasklet, tasklet);
	struct packet *packet;
	bool tell = false;
	int budget = 64;

	while (budget--) {
		spin_lock(&peer->lock);
		packet = list_first_entry_or_null(&peer->packets, struct packet, list);
		if (packet) {
			list_del(&packet->list);
			peer->count--;
		}
		if (peer->wants_room && peer->count <= room / 2) {
			peer->wants_room = false;
			tell = true;
		}
		spin_unlock(&peer->lock);
		if (!packet)
			break;
		ropcie_transport_receive(peer, &packet->header, packet->payload, packet->length);
		kfree(packet);
	}
	if (tell)
		ropcie_transport_room(peer);
	if (!list_empty_careful(&peer->packets))
		tasklet_schedule(&peer->tasklet);
}

struct net_device *ropcie_node_netdev(const struct ropcie_node *node)
{
	return node->netdev;
}

struct device *ropcie_node_parent(const struct ropcie_node *node)
{
	return &node->parent->dev;
}

u64 ropcie_node_guid(const struct ropcie_node *node)
{
	return 0x0200c0fffe000001ULL;
}

unsigned int ropcie_node_index(const struct ropcie_node *node)
{
	return 0;
}

unsigned int ropcie_node_mbps(const struct ropcie_node *node)
{
	return 100000;
}

void *ropcie_node_transport(const struct ropcie_node *node)
{
	return READ_ONCE(node->transport);
}

void ropcie_node_set_transport(struct ropcie_node *node, void *transport)
{
	WRITE_ONCE(node->transport, transport);
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops netdev_operations = {
	.ndo_start_xmit = transmit,
};

static int get_link(struct net_device *netdev, struct ethtool_link_ksettings *settings)
{
	settings->base.speed = SPEED_100000;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_NONE;
	return 0;
}

static const struct ethtool_ops ethtool_operations = {
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_link,
};

static void setup(struct net_device *netdev)
{
	static const u8 mac[ETH_ALEN] = { 0x02, 0x00, 0xc0, 0x00, 0x00, 0x01 };

	ether_setup(netdev);
	netdev->netdev_ops = &netdev_operations;
	netdev->ethtool_ops = &ethtool_operations;
	netdev->flags |= IFF_NOARP;
	netdev->max_mtu = 65520;
	netdev->mtu = 9000;
	eth_hw_addr_set(netdev, mac);
}

static int __init loopback_init(void)
{
	struct ropcie_node *node = &the_node;
	int err;

	node->loopback.node = node;
	spin_lock_init(&node->loopback.lock);
	INIT_LIST_HEAD(&node->loopback.packets);
	tasklet_setup(&node->loopback.tasklet, deliver);

	node->parent = platform_device_register_simple("ropcie-loopback", PLATFORM_DEVID_NONE,
						       NULL, 0);
	if (IS_ERR(node->parent))
		return PTR_ERR(node->parent);
	node->netdev = alloc_netdev(0, "ropcie%d", NET_NAME_ENUM, setup);
	if (!node->netdev) {
		err = -ENOMEM;
		goto unregister_parent;
	}
	SET_NETDEV_DEV(node->netdev, &node->parent->dev);
	err = register_netdev(node->netdev);
	if (err)
		goto free_netdev;
	err = ropcie_transport_add(node);
	if (err)
		goto unregister_netdev;
	return 0;

unregister_netdev:
	unregister_netdev(node->netdev);
free_netdev:
	free_netdev(node->netdev);
unregister_parent:
	platform_device_unregister(node->parent);
	return err;
}

static void __exit loopback_exit(void)
{
	struct ropcie_node *node = &the_node;
	struct packet *packet, *next;

	ropcie_transport_remove(node);
	unregister_netdev(node->netdev);
	tasklet_kill(&node->loopback.tasklet);
	list_for_each_entry_safe(packet, next, &node->loopback.packets, list)
		kfree(packet);
	free_netdev(node->netdev);
	platform_device_unregister(node->parent);
}

module_init(loopback_init);
module_exit(loopback_exit);
MODULE_DESCRIPTION("RoPCIe: RDMA over a PCIe non-transparent bridge");
MODULE_LICENSE("GPL");
