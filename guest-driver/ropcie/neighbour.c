// SPDX-License-Identifier: GPL-2.0-only

#include <linux/inetdevice.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/uio.h>
#include <net/addrconf.h>
#include <net/arp.h>
#include <net/if_inet6.h>
#include <net/ipv6_stubs.h>
#include <net/ndisc.h>
#include <net/neighbour.h>

#include "compat.h"
#include "neighbour.h"
#include "node.h"
#include "path.h"

#define RETRY	msecs_to_jiffies(10)

/* ---- Own addresses ---- */

struct own_addresses {
	struct ropcie_addresses	head;
	u8			address[ROPCIE_ADDRESSES_MAX * (4 + 16)];
};

static void add_ipv4(struct own_addresses *own, size_t *length, struct net_device *netdev)
{
	struct in_device *in_dev = __in_dev_get_rcu(netdev);
	const struct in_ifaddr *address;
	unsigned int count = 0;

	if (in_dev) {
		in_dev_for_each_ifa_rcu(address, in_dev) {
			if (count == ROPCIE_ADDRESSES_MAX)
				break;
			memcpy(own->address + *length, &address->ifa_local, 4);
			*length += 4;
			count++;
		}
	}
	own->head.ipv4 = cpu_to_le16(count);
}

static void add_ipv6(struct own_addresses *own, size_t *length, struct net_device *netdev)
{
	struct inet6_dev *in6_dev = IS_ENABLED(CONFIG_IPV6) ? __in6_dev_get(netdev) : NULL;
	const struct inet6_ifaddr *address;
	unsigned int count = 0;

	if (in6_dev) {
		list_for_each_entry_rcu(address, &in6_dev->addr_list, if_list) {
			if (count == ROPCIE_ADDRESSES_MAX)
				break;
			memcpy(own->address + *length, &address->addr, 16);
			*length += 16;
			count++;
		}
	}
	own->head.ipv6 = cpu_to_le16(count);
}

static int tell(struct ropcie_path *path, const struct own_addresses *own, size_t length)
{
	struct kvec vector = { .iov_base = (void *)own, .iov_len = sizeof(own->head) + length };
	struct iov_iter iter;

	iov_iter_kvec(&iter, ITER_SOURCE, &vector, 1, vector.iov_len);
	return ropcie_path_send(path, ROPCIE_KIND_ADDRESSES, ROPCIE_WAITER_NETDEV, NULL, 0, &iter);
}

static void address_work(struct work_struct *work)
{
	struct ropcie_node *node = container_of(work, struct ropcie_node, address_work.work);
	struct own_addresses own;
	struct ropcie_path *path;
	struct ropcie_peer *peer;
	bool again = false;
	size_t length = 0;

	rcu_read_lock();
	add_ipv4(&own, &length, node->netdev);
	add_ipv6(&own, &length, node->netdev);
	list_for_each_entry_rcu(peer, &node->peers, list) {
		path = rcu_dereference(peer->path);
		if (path && !peer->loopback)
			again |= tell(path, &own, length) == -EAGAIN;
	}
	rcu_read_unlock();
	if (again)
		queue_delayed_work(ropcie_workqueue, &node->address_work, RETRY);
}

void ropcie_neighbours_tell(struct ropcie_node *node)
{
	mod_delayed_work(ropcie_workqueue, &node->address_work, 0);
}

/* ---- The peers' ---- */

void ropcie_neighbours_heard(struct ropcie_peer *peer, const void *payload, u32 length)
{
	const struct ropcie_addresses *told = payload;
	unsigned int ipv4, ipv6;

	if (length < sizeof(*told))
		return;
	ipv4 = le16_to_cpu(READ_ONCE(told->ipv4));
	ipv6 = le16_to_cpu(READ_ONCE(told->ipv6));
	if (ipv4 > ROPCIE_ADDRESSES_MAX || ipv6 > ROPCIE_ADDRESSES_MAX ||
	    length != sizeof(*told) + ipv4 * 4 + ipv6 * 16)
		return;

	spin_lock(&peer->heard_lock);
	peer->heard.ipv4 = ipv4;
	peer->heard.ipv6 = ipv6;
	memcpy(peer->heard.address4, told->address, ipv4 * 4);
	memcpy(peer->heard.address6, told->address + ipv4 * 4, ipv6 * 16);
	spin_unlock(&peer->heard_lock);
	queue_work(ropcie_workqueue, &peer->node->neighbour_work);
}

static bool contains(const u8 *list, unsigned int count, size_t size, const u8 *address)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!memcmp(list + i * size, address, size))
			return true;
	return false;
}

/* What an administrator has made permanent stays. */
static void set_neighbour(struct neigh_table *table, struct ropcie_peer *peer, const u8 *address,
			  bool there)
{
	struct net_device *netdev = peer->node->netdev;
	struct neighbour *neighbour;
	bool ours;

	neighbour = neigh_lookup(table, address, netdev);
	if (!neighbour && there) {
		neighbour = neigh_create(table, address, netdev);
		if (IS_ERR(neighbour))
			return;
	}
	if (!neighbour)
		return;
	ours = !(READ_ONCE(neighbour->nud_state) & NUD_PERMANENT) ||
	       ether_addr_equal(neighbour->ha, peer->mac);
	if (ours)
		neigh_update(neighbour, there ? peer->mac : NULL,
			     there ? NUD_PERMANENT : NUD_FAILED,
			     NEIGH_UPDATE_F_OVERRIDE | NEIGH_UPDATE_F_ADMIN, 0);
	neigh_release(neighbour);
}

static void set_neighbours(struct neigh_table *table, struct ropcie_peer *peer, const u8 *old,
			   unsigned int old_count, const u8 *new, unsigned int new_count,
			   size_t size)
{
	unsigned int i;

	for (i = 0; i < old_count; i++)
		if (!contains(new, new_count, size, old + i * size))
			set_neighbour(table, peer, old + i * size, false);
	for (i = 0; i < new_count; i++)
		set_neighbour(table, peer, new + i * size, true);
}

static void neighbour_update(struct ropcie_peer *peer, struct ropcie_heard *new)
{
	spin_lock_bh(&peer->heard_lock);
	*new = peer->heard;
	spin_unlock_bh(&peer->heard_lock);
	set_neighbours(&arp_tbl, peer, peer->known.address4[0], peer->known.ipv4, new->address4[0],
		       new->ipv4, 4);
	if (IS_ENABLED(CONFIG_IPV6) && ipv6_mod_enabled())
		set_neighbours(ipv6_stub->nd_tbl, peer, peer->known.address6[0], peer->known.ipv6,
			       new->address6[0], new->ipv6, 16);
	peer->known = *new;
}

static void neighbour_work(struct work_struct *work)
{
	struct ropcie_node *node = container_of(work, struct ropcie_node, neighbour_work);
	struct ropcie_heard *new = &node->heard;
	struct ropcie_peer *peer;

	/* Under RTNL, so that none is made while the device goes down. */
	rtnl_lock();
	rcu_read_lock();
	if (netif_running(node->netdev)) {
		list_for_each_entry_rcu(peer, &node->peers, list)
			if (!peer->loopback)
				neighbour_update(peer, new);
	}
	rcu_read_unlock();
	rtnl_unlock();
}

void ropcie_neighbours_restore(struct ropcie_node *node)
{
	queue_work(ropcie_workqueue, &node->neighbour_work);
	ropcie_neighbours_tell(node);
}

/* ---- Life ---- */

void ropcie_neighbours_init(struct ropcie_node *node)
{
	INIT_DELAYED_WORK(&node->address_work, address_work);
	INIT_WORK(&node->neighbour_work, neighbour_work);
}

void ropcie_neighbours_exit(struct ropcie_node *node)
{
	cancel_delayed_work_sync(&node->address_work);
	cancel_work_sync(&node->neighbour_work);
}

static void address_changed(struct net_device *netdev)
{
	struct ropcie_node *node = ropcie_node_of(netdev);

	if (node)
		ropcie_neighbours_tell(node);
}

static int ipv4_changed(struct notifier_block *self, unsigned long event, void *data)
{
	address_changed(((struct in_ifaddr *)data)->ifa_dev->dev);
	return NOTIFY_DONE;
}

static int ipv6_changed(struct notifier_block *self, unsigned long event, void *data)
{
	address_changed(((struct inet6_ifaddr *)data)->idev->dev);
	return NOTIFY_DONE;
}

static struct notifier_block ipv4_notifier = { .notifier_call = ipv4_changed };
static struct notifier_block ipv6_notifier = { .notifier_call = ipv6_changed };

int ropcie_neighbours_register(void)
{
	int err = register_inetaddr_notifier(&ipv4_notifier);

	if (err || !IS_ENABLED(CONFIG_IPV6))
		return err;
	err = register_inet6addr_notifier(&ipv6_notifier);
	if (err)
		unregister_inetaddr_notifier(&ipv4_notifier);
	return err;
}

void ropcie_neighbours_unregister(void)
{
	if (IS_ENABLED(CONFIG_IPV6))
		unregister_inet6addr_notifier(&ipv6_notifier);
	unregister_inetaddr_notifier(&ipv4_notifier);
}
