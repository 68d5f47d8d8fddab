// SPDX-License-Identifier: GPL-2.0-only
/*
 * When both sides sleep or wake at the same time, each may miss what the other has just written,
 * since it was still underway. So who goes to sleep looks once more after RECHECK, when all that
 * was underway has arrived, and then ever more rarely, in case that a doorbell was lost.
 */

#include <linux/ktime.h>
#include <linux/skbuff.h>
#include <linux/uio.h>

#include "client.h"
#include "compat.h"
#include "copy.h"
#include "neighbour.h"
#include "netdev.h"
#include "node.h"
#include "path.h"

#define RECHECK		(50 * NSEC_PER_USEC)
#define RECHECK_FACTOR	4
#define RECHECK_MAX	(250 * NSEC_PER_MSEC)

static void path_broken(struct ropcie_path *path)
{
	path->count.nonsense++;
	path->broken(path);
}

static void path_bell(struct ropcie_path *path)
{
	atomic64_inc(&path->count.bells_sent);
	path->bell(path);
}

static void path_arm(struct ropcie_path *path)
{
	/* Within one machine nothing is underway, and napi_schedule() loses nothing. */
	if (path->peer->loopback)
		return;
	WRITE_ONCE(path->interval, RECHECK);
	hrtimer_start(&path->timer, ns_to_ktime(RECHECK), HRTIMER_MODE_REL);
}

/* ---- Receiving ---- */

static void path_receive(struct ropcie_path *path, const struct ropcie_record *record)
{
	switch (record->kind) {
	case ROPCIE_KIND_NOTHING:
		break;
	case ROPCIE_KIND_FRAME:
		ropcie_netdev_receive(path, record);
		break;
	case ROPCIE_KIND_ADDRESSES:
		ropcie_neighbours_heard(path->peer, record->payload, record->length);
		break;
	default:
		ropcie_client_receive(path->peer, record);
	}
}

static int path_poll_ring(struct ropcie_path *path, enum ropcie_ring ring, int budget)
{
	struct ropcie_rx *rx = &path->rx[ring];
	struct ropcie_record record;
	bool bell = false;
	int done = 0;
	int err = 0;

	while (done < budget && !path->stuck) {
		err = ropcie_rx_take(rx, &record);
		if (err <= 0)
			break;
		path_receive(path, &record);
		if (ropcie_rx_done(rx, &record))
			bell |= ropcie_rx_credit(rx);
		done++;
	}
	if (err < 0) {
		path->stuck = true;
		path_broken(path);
	}
	bell |= ropcie_rx_credit(rx);
	if (bell)
		path_bell(path);
	return done;
}

static void path_tell_room(struct ropcie_path *path)
{
	unsigned int ring;
	u8 waiting;

	for (ring = 0; ring < ROPCIE_RINGS; ring++) {
		waiting = ropcie_tx_poll(&path->tx[ring]);
		if (waiting & ROPCIE_WAITER_NETDEV)
			ropcie_netdev_room(path->peer);
		if (waiting / ROPCIE_WAITER_CLIENT)
			ropcie_client_room(path->peer, waiting / ROPCIE_WAITER_CLIENT);
	}
}

static void path_sleep(struct ropcie_path *path)
{
	bool pending = false;
	unsigned int ring;

	for (ring = 0; ring < ROPCIE_RINGS; ring++)
		pending |= ropcie_rx_sleep(&path->rx[ring]);
	if (path->stuck)
		return;
	if (pending)
		napi_schedule(&path->napi);
	else
		path_arm(path);
}

static int path_poll(struct napi_struct *napi, int budget)
{
	struct ropcie_path *path = container_of(napi, struct ropcie_path, napi);
	int share = max(1, budget / ROPCIE_RINGS);
	unsigned int ring;
	int done = 0;
	int got;
	bool more = false;

	path->count.polls++;
	path_tell_room(path);
	for (ring = 0; ring < ROPCIE_RINGS && budget; ring++) {
		got = path_poll_ring(path, ring, min(share, budget - done));
		more |= got == share;
		done += got;
	}
	if (more)
		return budget;
	if (done < budget && napi_complete_done(napi, done))
		path_sleep(path);
	return done;
}

static enum hrtimer_restart path_timer(struct hrtimer *timer)
{
	struct ropcie_path *path = container_of(timer, struct ropcie_path, timer);
	bool found = false;
	unsigned int ring;

	for (ring = 0; ring < ROPCIE_RINGS; ring++)
		found |= ropcie_rx_pending(&path->rx[ring]) || ropcie_tx_has_room(&path->tx[ring]);
	if (found) {
		if (path->interval == RECHECK)
			path->count.found_early++;
		else
			path->count.found_late++;
		napi_schedule(&path->napi);
		return HRTIMER_NORESTART;
	}
	path->interval = min_t(u64, path->interval * RECHECK_FACTOR, RECHECK_MAX);
	/* Not by HRTIMER_RESTART: another CPU may arm it at the same time. */
	hrtimer_start(timer, ns_to_ktime(path->interval), HRTIMER_MODE_REL);
	return HRTIMER_NORESTART;
}

void ropcie_path_rung(struct ropcie_path *path)
{
	path->count.bells_received++;
	napi_schedule(&path->napi);
}

/* ---- Sending ---- */

static int path_failed(struct ropcie_path *path, int err)
{
	if (err == -EAGAIN)
		path_arm(path);
	if (err != -EPROTO)
		return err;
	path_broken(path);
	return -ENOLINK;
}

int ropcie_path_send(struct ropcie_path *path, enum ropcie_kind kind, u8 waiter, const void *header,
		     u32 header_length, struct iov_iter *payload)
{
	struct ropcie_tx *tx =
		&path->tx[kind < ROPCIE_KIND_TRANSPORT ? ROPCIE_FRAMES : ROPCIE_PACKETS];
	size_t length = iov_iter_count(payload);
	struct ropcie_place place;
	int err;

	err = ropcie_tx_reserve(tx, header_length, length, waiter, &place);
	if (err)
		return path_failed(path, err);
	ropcie_copy_bytes(place.header, header, header_length);
	if (!ropcie_copy_iter(place.payload, length, payload)) {
		kind = ROPCIE_KIND_NOTHING;
		err = -EFAULT;
	}
	if (ropcie_tx_commit(tx, &place, kind, 0, 0))
		path_bell(path);
	return err;
}

int ropcie_path_send_frame(struct ropcie_path *path, const struct sk_buff *skb)
{
	struct ropcie_tx *tx = &path->tx[ROPCIE_FRAMES];
	enum ropcie_kind kind = ROPCIE_KIND_FRAME;
	struct ropcie_place place;
	u32 detail = 0;
	u8 flags = 0;
	int err;

	err = ropcie_tx_reserve(tx, 0, skb->len, ROPCIE_WAITER_NETDEV, &place);
	if (err)
		return path_failed(path, err);
	if (!ropcie_copy_skb(place.payload, skb)) {
		kind = ROPCIE_KIND_NOTHING;
		err = -EFAULT;
	}
	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		flags = ROPCIE_SLOT_CHECKSUM;
		detail = skb_checksum_start_offset(skb) | (u32)skb->csum_offset << 16;
	}
	if (ropcie_tx_commit(tx, &place, kind, flags, detail))
		path_bell(path);
	return err;
}

/* ---- Life ---- */

void ropcie_path_init(struct ropcie_path *path, struct ropcie_node *node,
		      void (*bell)(struct ropcie_path *path),
		      void (*broken)(struct ropcie_path *path))
{
	unsigned int ring;

	path->node = node;
	path->bell = bell;
	path->broken = broken;
	for (ring = 0; ring < ROPCIE_RINGS; ring++)
		spin_lock_init(&path->tx[ring].lock);
	ropcie_hrtimer_setup(&path->timer, path_timer, HRTIMER_MODE_REL);
	netif_napi_add(node->netdev, &path->napi, path_poll);
}

void ropcie_path_exit(struct ropcie_path *path)
{
	netif_napi_del(&path->napi);
}

int ropcie_path_open(struct ropcie_path *path, struct ropcie_peer *peer,
		     const struct ropcie_window *own, const struct ropcie_window *peers, u32 epoch)
{
	unsigned int ring;
	int err;

	path->peer = peer;
	path->stuck = false;
	for (ring = 0; ring < ROPCIE_RINGS; ring++) {
		ropcie_rx_open(&path->rx[ring], own, peers, ring, epoch);
		err = ropcie_tx_open(&path->tx[ring], own, peers, ring, epoch);
		if (err) {
			ropcie_path_close(path);
			return err;
		}
	}
	return 0;
}

void ropcie_path_start(struct ropcie_path *path)
{
	path->receiving = true;
	napi_enable(&path->napi);
	/* What has come meanwhile has rung at nobody. BH off, so that it runs at their end. */
	local_bh_disable();
	napi_schedule(&path->napi);
	local_bh_enable();
}

void ropcie_path_close(struct ropcie_path *path)
{
	unsigned int ring;

	for (ring = 0; ring < ROPCIE_RINGS; ring++)
		ropcie_tx_close(&path->tx[ring]);
	synchronize_rcu();
	if (path->receiving) {
		napi_disable(&path->napi);
		path->receiving = false;
	}
	hrtimer_cancel(&path->timer);
	for (ring = 0; ring < ROPCIE_RINGS; ring++)
		ropcie_tx_free(&path->tx[ring]);
}
