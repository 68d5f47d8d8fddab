// SPDX-License-Identifier: GPL-2.0-only
/* How a queue pair's packets get to a peer, and how it waits for room there. */

#include "qp.h"

static int send_blocked(struct ropcie_qp *qp, struct ropcie_peer *peer,
			const struct ropcie_header *header, struct iov_iter *payload)
{
	struct ropcie_device *device = qp->device;
	int err;

	ropcie_count(device, ROPCIE_NO_ROOM);
	spin_lock(&device->blocked_lock);
	if (list_empty(&qp->blocked)) {
		ropcie_peer_get(peer);
		qp->blocked_on = peer;
		list_add_tail(&qp->blocked, &device->blocked);
	}
	spin_unlock(&device->blocked_lock);

	/* Room that there was before this was on the list has been announced to nobody. */
	err = ropcie_peer_send(peer, header, payload);
	if (err == -EAGAIN)
		return err;
	ropcie_qp_unblock(qp);
	/* The other half of the queue pair may have seen it on the list, and wait. */
	ropcie_qp_schedule(qp);
	return err;
}

int ropcie_qp_send_to(struct ropcie_qp *qp, struct ropcie_peer *peer,
		      const struct ropcie_header *header, struct iov_iter *payload)
{
	int err = ropcie_peer_send(peer, header, payload);

	if (err == -EAGAIN)
		err = send_blocked(qp, peer, header, payload);
	if (!err)
		ropcie_count(qp->device, ROPCIE_SENT_PACKETS);
	/* As if lost on the way: who waits for an answer has a timer. */
	return err == -ENOLINK ? 0 : err;
}

/* The peer may be seen later than the queue pair, then by both halves at the same time. */
static struct ropcie_peer *peer_of(struct ropcie_qp *qp)
{
	struct ropcie_peer *peer = READ_ONCE(qp->peer);
	struct ropcie_peer *other;
	u8 mac[ETH_ALEN];

	if (peer)
		return peer;
	u64_to_ether_addr(READ_ONCE(qp->mac), mac);
	peer = ropcie_peer_by_mac(qp->device->node, mac);
	if (!peer)
		return NULL;
	other = cmpxchg(&qp->peer, NULL, peer);
	if (!other)
		return peer;
	ropcie_peer_put(peer);
	return other;
}

int ropcie_qp_send(struct ropcie_qp *qp, const struct ropcie_header *header,
		   struct iov_iter *payload)
{
	struct ropcie_peer *peer = peer_of(qp);

	return peer ? ropcie_qp_send_to(qp, peer, header, payload) : 0;
}

void ropcie_qp_unblock(struct ropcie_qp *qp)
{
	struct ropcie_peer *peer = NULL;

	spin_lock_bh(&qp->device->blocked_lock);
	if (!list_empty(&qp->blocked)) {
		list_del_init(&qp->blocked);
		swap(peer, qp->blocked_on);
	}
	spin_unlock_bh(&qp->device->blocked_lock);
	if (peer)
		ropcie_peer_put(peer);
}

void ropcie_qps_unblock(struct ropcie_device *device, struct ropcie_peer *peer)
{
	struct ropcie_qp *qp, *next;

	spin_lock_bh(&device->blocked_lock);
	list_for_each_entry_safe(qp, next, &device->blocked, blocked) {
		if (qp->blocked_on != peer)
			continue;
		list_del_init(&qp->blocked);
		qp->blocked_on = NULL;
		ropcie_qp_schedule(qp);
		ropcie_peer_put(peer);	/* the caller has one of its own */
	}
	spin_unlock_bh(&device->blocked_lock);
}
