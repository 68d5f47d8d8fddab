// SPDX-License-Identifier: GPL-2.0-only
/*
 * How two hosts agree that they can write into each other's windows:
 *
 *	OFF   -> HELLO	the NTB has a link, and the own window is open: the own hello is in the
 *			peer's scratchpads
 *	HELLO -> READY	the peer's hello has been read, and is echoed; both sessions make the epoch
 *	READY		the peer has echoed, too: its window is open, and it is told through it that
 *			the own rings of this epoch may be written to
 *	READY -> UP	the peer has said the same
 *	READY -> HELLO	the peer has another session: it has begun anew
 *	READY -> OFF	nothing came through the window for READY_TIMEOUT
 *	UP    -> HELLO	the peer has another session or none, its heart has stopped, or it broke the
 *			protocol
 *	any   -> OFF	the NTB has no link
 *
 * Who leaves UP takes a new session, so that no epoch is used twice.
 */

#include <linux/crc32.h>
#include <linux/moduleparam.h>
#include <linux/random.h>

#include "copy.h"
#include "hello.h"
#include "link.h"
#include "node.h"

#define POLL			msecs_to_jiffies(20)	/* the hello doorbell usually comes first */
#define WATCH			msecs_to_jiffies(250)
#define RETRY			msecs_to_jiffies(500)
#define NUDGE			msecs_to_jiffies(2000)
#define READY_TIMEOUT		msecs_to_jiffies(5000)
#define GARBLED_MAX		3

static unsigned int heartbeat_timeout = 10;
module_param(heartbeat_timeout, uint, 0644);
MODULE_PARM_DESC(heartbeat_timeout,
		 "Seconds without a sign of life that end a link (default 10, 0: never)");

static const char * const state_names[] = {
	[ROPCIE_LINK_OFF] = "off",
	[ROPCIE_LINK_HELLO] = "hello",
	[ROPCIE_LINK_READY] = "ready",
	[ROPCIE_LINK_UP] = "up",
};

static void enter(struct ropcie_link *link, enum ropcie_link_state state, const char *cause)
{
	dev_dbg(&link->ntb->dev, "%s -> %s: %s\n", state_names[link->state], state_names[state],
		cause);
	link->state = state;
	link->since = jiffies;
	link->garbled = 0;
}

static bool been_here(const struct ropcie_link *link, unsigned long time)
{
	return time_after(jiffies, link->since + time);
}

static u32 new_session(u32 old)
{
	u32 session;

	do {
		session = get_random_u32();
	} while (!session || session == old);
	return session;
}

static u32 epoch_of(u32 one, u32 other)
{
	__le32 both[2] = { cpu_to_le32(min(one, other)), cpu_to_le32(max(one, other)) };

	return ~crc32_le(~0, (u8 *)both, sizeof(both)) ?: 1;
}

/* ---- Through the window ---- */

static void window_write(struct ropcie_link *link, __le64 *word, u32 value)
{
	ropcie_copy_publish(word, ropcie_word(link->epoch, value));
}

static void say_ready(struct ropcie_link *link)
{
	window_write(link, &((struct ropcie_control *)link->outbound)->ready, ROPCIE_READY);
}

static bool heard_ready(const struct ropcie_link *link)
{
	const struct ropcie_control *control = link->inbound;

	return le64_to_cpu(READ_ONCE(control->ready)) == ropcie_word(link->epoch, ROPCIE_READY);
}

static void say_alive(struct ropcie_link *link)
{
	window_write(link, &((struct ropcie_control *)link->outbound)->beat, ++link->beat);
}

/* false: the peer has been silent for too long. */
static bool beat(struct ropcie_link *link)
{
	const struct ropcie_control *control = link->inbound;
	u64 peer_beat = le64_to_cpu(READ_ONCE(control->beat));
	unsigned int timeout = READ_ONCE(heartbeat_timeout);

	say_alive(link);
	if (peer_beat != link->peer_beat && upper_32_bits(peer_beat) == link->epoch) {
		link->peer_beat = peer_beat;
		link->peer_alive = jiffies;
	}
	return !timeout || time_before(jiffies, link->peer_alive + (unsigned long)timeout * HZ);
}

/* ---- Transitions ---- */

static void release_peer(struct ropcie_link *link)
{
	if (link->peer)
		ropcie_node_unclaim(link->peer);
	link->peer = NULL;
}

static void leave_up(struct ropcie_link *link)
{
	if (link->state == ROPCIE_LINK_UP)
		ropcie_node_detach(link->peer);
	release_peer(link);
	link->session = new_session(link->session);
	link->peer_session = 0;
}

void ropcie_handshake_reset(struct ropcie_link *link)
{
	if (!link->session)
		return;
	if (link->state != ROPCIE_LINK_OFF) {
		leave_up(link);
		enter(link, ROPCIE_LINK_OFF, "reset");
	}
	ropcie_hello_withdraw(link);
}

static bool acceptable(struct ropcie_link *link, const struct ropcie_hello *hello)
{
	u32 inbound = min3(hello->aperture, link->inbound_size, (u32)ROPCIE_WINDOW_MAX);
	u32 outbound = min3(hello->window, link->outbound_size, (u32)ROPCIE_WINDOW_MAX);
	int err;

	if (!is_valid_ether_addr(hello->mac)) {
		dev_warn_ratelimited(&link->ntb->dev, "the peer's MAC %pM is none\n", hello->mac);
		return false;
	}
	if (inbound < ROPCIE_WINDOW_MIN || outbound < ROPCIE_WINDOW_MIN) {
		dev_warn_ratelimited(&link->ntb->dev,
				     "windows of %u and %u bytes are too small, %u are needed\n",
				     inbound, outbound, ROPCIE_WINDOW_MIN);
		return false;
	}
	release_peer(link);
	err = ropcie_node_claim(link->node, link, hello->mac, &link->peer);
	if (err == -EADDRINUSE)
		dev_warn_ratelimited(&link->ntb->dev,
				     "the peer has this host's MAC %pM: set the parameter mac\n",
				     hello->mac);
	else if (err == -EBUSY)
		dev_info_once(&link->ntb->dev,
			      "another link leads to %pM: this one waits (or set node_per_link)\n",
			      hello->mac);
	if (err)
		return false;
	link->own.memory = link->inbound;
	link->own.usable = inbound;
	link->peers.memory = link->outbound;
	link->peers.usable = outbound;
	return true;
}

static void say_hello(struct ropcie_link *link)
{
	ropcie_hello_write(link);
	ropcie_link_bell(link, ROPCIE_DOORBELL_HELLO);
}

static unsigned long step_off(struct ropcie_link *link)
{
	int err;

	/* An NTB that takes its time must not keep other links waiting, whose hearts beat here. */
	mutex_unlock(&ropcie_mutex);
	err = ropcie_link_open_window(link);
	mutex_lock(&ropcie_mutex);
	if (link->removing || !link->node)
		return 0;
	if (err) {
		dev_dbg(&link->ntb->dev, "no window: error %d\n", err);
		return RETRY << min(link->failures++, 4U);
	}
	link->failures = 0;
	ropcie_hello_forget(link);
	link->session = new_session(link->session);
	link->peer_session = 0;
	enter(link, ROPCIE_LINK_HELLO, "window open");
	say_hello(link);
	return 0;
}

static unsigned long step_hello(struct ropcie_link *link)
{
	struct ropcie_hello hello;

	if (ropcie_hello_read(link, &hello) || !acceptable(link, &hello)) {
		/* Again, for a peer that was not there to be written to. */
		ropcie_hello_write(link);
		return link->peer_session || !been_here(link, READY_TIMEOUT) ? POLL : WATCH;
	}
	link->peer_session = hello.session;
	link->epoch = epoch_of(link->session, hello.session);
	link->said_ready = false;
	enter(link, ROPCIE_LINK_READY, "hello");
	say_hello(link);
	return 0;
}

static unsigned long step_ready(struct ropcie_link *link)
{
	struct ropcie_hello hello;
	int err = ropcie_hello_read(link, &hello);

	if (!err && hello.session != link->peer_session) {
		enter(link, ROPCIE_LINK_HELLO, "another session");
		return 0;
	}
	if (!err && hello.echo == link->session) {
		say_ready(link);
		if (!link->said_ready)
			ropcie_link_bell(link, ROPCIE_DOORBELL_HELLO);
		link->said_ready = true;
	}
	if (link->said_ready && heard_ready(link)) {
		if (ropcie_path_open(&link->path, link->peer, &link->own, &link->peers,
				     link->epoch))
			return RETRY;
		WRITE_ONCE(link->broken, false);
		link->unreachable = false;
		link->ups++;
		link->peer_alive = jiffies;
		enter(link, ROPCIE_LINK_UP, "ready");
		ropcie_node_attach(link->peer, &link->path);
		return WATCH;
	}
	if (been_here(link, READY_TIMEOUT)) {
		if (link->said_ready && !link->unreachable) {
			link->unreachable = true;
			dev_warn(&link->ntb->dev,
				 "the peer's writes do not arrive (IOMMU, requester IDs?)\n");
		}
		release_peer(link);
		enter(link, ROPCIE_LINK_OFF, "silence");
		return msecs_to_jiffies(get_random_u32() % 1000);
	}
	ropcie_hello_write(link);
	return POLL;
}

static unsigned long step_up(struct ropcie_link *link)
{
	struct ropcie_hello hello;
	const char *cause = NULL;

	switch (ropcie_hello_read(link, &hello)) {
	case 0:
		link->garbled = 0;
		if (hello.session != link->peer_session)
			cause = "another session";
		break;
	case -ENOENT:
		cause = "no hello";
		break;
	default:
		if (++link->garbled < GARBLED_MAX)
			return POLL;
		cause = "garbled hello";
	}
	if (!cause && READ_ONCE(link->broken)) {
		cause = "protocol broken";
		dev_warn_ratelimited(&link->ntb->dev,
				     "the peer broke the protocol; the link begins anew\n");
	}
	if (!cause && !beat(link)) {
		cause = "no heartbeat";
		dev_warn(&link->ntb->dev, "no sign of life of the peer for %u s\n",
			 heartbeat_timeout);
	}
	if (cause) {
		leave_up(link);
		enter(link, ROPCIE_LINK_HELLO, cause);
		say_hello(link);
		return POLL;
	}
	say_ready(link);
	return WATCH;
}

/* The next look is due after what is returned, unless there is an event before; 0: at once. */
static unsigned long step(struct ropcie_link *link)
{
	if (!ropcie_link_poll_ntb(link)) {
		if (link->state != ROPCIE_LINK_OFF) {
			leave_up(link);
			enter(link, ROPCIE_LINK_OFF, "no NTB link");
		}
		/* A driver may have missed that both sides want a link. */
		if (time_after(jiffies, link->nudged + NUDGE)) {
			link->nudged = jiffies;
			ntb_link_enable(link->ntb, NTB_SPEED_AUTO, NTB_WIDTH_AUTO);
		}
		return RETRY;
	}
	switch (link->state) {
	case ROPCIE_LINK_OFF:
		return step_off(link);
	case ROPCIE_LINK_HELLO:
		return step_hello(link);
	case ROPCIE_LINK_READY:
		return step_ready(link);
	case ROPCIE_LINK_UP:
		return step_up(link);
	}
	return RETRY;
}

void ropcie_handshake_work(struct work_struct *work)
{
	struct ropcie_link *link = container_of(work, struct ropcie_link, work.work);
	unsigned long delay = 0;

	if (!mutex_trylock(&ropcie_mutex)) {
		/* Where something takes long, the peer must still see that this host lives. */
		if (READ_ONCE(link->state) == ROPCIE_LINK_UP)
			say_alive(link);
		queue_delayed_work(ropcie_workqueue, &link->work, POLL);
		return;
	}
	if (!link->removing && link->node)
		delay = step(link);
	if (!link->removing && link->node)
		queue_delayed_work(ropcie_workqueue, &link->work, delay);
	mutex_unlock(&ropcie_mutex);
}

void ropcie_handshake_kick(struct ropcie_link *link)
{
	mod_delayed_work(ropcie_workqueue, &link->work, 0);
}
