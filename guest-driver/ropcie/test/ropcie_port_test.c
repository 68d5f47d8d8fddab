// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of random size to every peer, the loopback one included, each checked by its receiver for
 * order and bytes.
 *
 *	insmod ropcie_port_test.ko			# on each host
 *	echo 100000 > /sys/kernel/debug/ropcie_port_test/send
 *	cat /sys/kernel/debug/ropcie_port_test/state
 *
 * state has a line for each peer: its MAC, its epoch, what has been sent, the sequence that is
 * received next, how often there was no room, and the errors. Writing to send waits until all is
 * taken, or a peer is lost (EIO).
 */

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "../client.h"
#include "../compat.h"
#include "../port.h"

struct header {
	__le64	sequence;
	__le64	length;
};

#define PEERS	64

struct target {
	struct ropcie_peer	*peer;
	struct task_struct	*sender;
	wait_queue_head_t	room;
	bool			told;
	bool			going;		/* its node is */
	u64			to_send;
	u64			sent;
	u64			received;	/* of this epoch: the sequence that is expected */
	u64			full;
	u64			errors;
	int			failure;
	u32			epoch;
	u8			seen[ROPCIE_MTU];
};

static struct target *targets[PEERS];
static DEFINE_MUTEX(targets_mutex);
static struct dentry *directory;

/* What the packet of that sequence holds; the same at both ends. */
static void fill(u8 *payload, size_t length, u64 sequence)
{
	struct rnd_state state;

	prandom_seed_state(&state, sequence * 0x9e3779b97f4a7c15ULL + 1);
	prandom_bytes_state(&state, payload, length);
}

static size_t length_of(u64 sequence)
{
	struct rnd_state state;
	u32 random;

	prandom_seed_state(&state, ~sequence);
	random = prandom_u32_state(&state);
	/* Half of them small: in the slot, or just not. */
	return random & 1 ? (random >> 1) % 300 : (random >> 1) % (ROPCIE_MTU + 1);
}

static struct target *target_of(struct ropcie_peer *peer)
{
	unsigned int i;

	for (i = 0; i < PEERS; i++) {
		struct target *target = READ_ONCE(targets[i]);

		if (target && target->peer == peer)
			return target;
	}
	return NULL;
}

/* ---- As a client of the port ---- */

static void receive(struct ropcie_peer *from, const void *data, const void *payload, size_t length)
{
	const struct header *header = data;
	struct target *target = target_of(from);
	u64 sequence = le64_to_cpu(header->sequence);

	if (!target)
		return;
	if (target->epoch != ropcie_peer_epoch(from)) {
		target->epoch = ropcie_peer_epoch(from);
		target->received = sequence;	/* the sender goes on counting */
	}
	if (sequence != target->received || length != length_of(sequence) ||
	    length != le64_to_cpu(header->length)) {
		pr_err_ratelimited("ropcie_port_test: packet %llu of %zu bytes, %llu expected\n",
				   sequence, length, target->received);
		target->errors++;
	} else {
		fill(target->seen, length, sequence);
		if (memcmp(target->seen, payload, length)) {
			pr_err_ratelimited("ropcie_port_test: bytes of packet %llu\n", sequence);
			target->errors++;
		}
	}
	WRITE_ONCE(target->received, sequence + 1);
}

static void room(struct ropcie_peer *peer)
{
	struct target *target = target_of(peer);

	if (target) {
		WRITE_ONCE(target->told, true);
		wake_up(&target->room);
	}
}

static void add_target(struct ropcie_peer *peer, void *context)
{
	struct target *target;
	unsigned int i;

	if (target_of(peer))
		return;
	target = kzalloc(sizeof(*target), GFP_ATOMIC);
	if (!target)
		return;
	init_waitqueue_head(&target->room);
	for (i = 0; i < PEERS && targets[i]; i++)
		;
	if (i == PEERS) {
		kfree(target);
		return;
	}
	ropcie_peer_get(peer);
	target->peer = peer;
	/* Complete before target_of() finds it. */
	smp_store_release(&targets[i], target);
}

static int add(struct ropcie_node *node)
{
	ropcie_for_each_peer(node, add_target, NULL);
	return 0;
}

static void drop(struct ropcie_node *node)
{
	unsigned int i;

	/* Who sends holds the mutex. */
	for (i = 0; i < PEERS; i++) {
		struct target *target = READ_ONCE(targets[i]);

		if (target && ropcie_peer_node(target->peer) == node) {
			WRITE_ONCE(target->going, true);
			wake_up(&target->room);
		}
	}
	mutex_lock(&targets_mutex);
	for (i = 0; i < PEERS; i++) {
		struct target *target = targets[i];

		if (!target || ropcie_peer_node(target->peer) != node)
			continue;
		WRITE_ONCE(targets[i], NULL);
		synchronize_net();
		ropcie_peer_put(target->peer);
		kfree(target);
	}
	mutex_unlock(&targets_mutex);
}

static void link(struct ropcie_peer *peer, bool up)
{
	struct target *target = target_of(peer);

	if (up)
		add_target(peer, NULL);
	else if (target)
		wake_up(&target->room);
}

static const struct ropcie_client client = {
	.kind = ROPCIE_KIND_TEST,
	.header_length = sizeof(struct header),
	.add = add,
	.remove = drop,
	.receive = receive,
	.room = room,
	.link = link,
};

/* ---- Sending ---- */

static bool is_awake(const struct target *target)
{
	return READ_ONCE(target->told) || READ_ONCE(target->going) ||
	       !ropcie_peer_epoch(target->peer);
}

static int send_one(struct target *target, u8 *payload)
{
	size_t length = length_of(target->sent);
	struct header header = { .sequence = cpu_to_le64(target->sent),
				 .length = cpu_to_le64(length) };
	struct kvec vector = { .iov_base = payload, .iov_len = length };
	struct iov_iter iter;
	int err;

	fill(payload, length, target->sent);
	for (;;) {
		iov_iter_kvec(&iter, ITER_SOURCE, &vector, 1, length);
		WRITE_ONCE(target->told, false);
		if (READ_ONCE(target->going))
			return -ENODEV;
		err = ropcie_client_send(&client, target->peer, &header, &iter);
		if (err != -EAGAIN)
			return err;
		target->full++;
		/* Not in vain: room() is promised, and nothing else wakes but an end. */
		if (!wait_event_timeout(target->room, is_awake(target), 30 * HZ)) {
			pr_err("ropcie_port_test: room was promised 30 s ago\n");
			target->errors++;
			return -ETIMEDOUT;
		}
	}
}

static int sender(void *data)
{
	struct target *target = data;
	u8 *payload = kmalloc(ROPCIE_MTU, GFP_KERNEL);
	int err = payload ? 0 : -ENOMEM;

	for (; !err && target->to_send; target->to_send--) {
		err = send_one(target, payload);
		if (!err)
			target->sent++;
		cond_resched();
	}
	kfree(payload);
	target->failure = err;
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 100);
	return err;
}

static int send(void *data, u64 count)
{
	unsigned int i;
	int err = 0;

	mutex_lock(&targets_mutex);
	for (i = 0; i < PEERS; i++) {
		struct target *target = targets[i];

		if (!target || !ropcie_peer_epoch(target->peer))
			continue;
		target->to_send = count;
		target->sender = kthread_run(sender, target, "ropcie_port_test");
		if (IS_ERR(target->sender))
			target->sender = NULL;
	}
	for (i = 0; i < PEERS; i++) {
		struct target *target = targets[i];

		if (!target || !target->sender)
			continue;
		while (target->to_send && !target->failure)
			msleep(20);
		kthread_stop(target->sender);
		target->sender = NULL;
		if (target->failure)
			err = -EIO;
	}
	mutex_unlock(&targets_mutex);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(send_operations, NULL, send, "%llu\n");

static void show(struct seq_file *file, const struct target *target)
{
	seq_printf(file, "%pM %s epoch %u sent %llu received %llu full %llu errors %llu\n",
		   ropcie_peer_mac(target->peer),
		   ropcie_peer_is_loopback(target->peer) ? "loopback" : "peer",
		   ropcie_peer_epoch(target->peer), target->sent, READ_ONCE(target->received),
		   target->full, target->errors);
}

static int state_show(struct seq_file *file, void *data)
{
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < PEERS; i++) {
		struct target *target = READ_ONCE(targets[i]);

		if (target)
			show(file, target);
	}
	rcu_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int __init test_init(void)
{
	int err = ropcie_client_register(&client);

	if (err)
		return err;
	directory = debugfs_create_dir("ropcie_port_test", NULL);
	debugfs_create_file_unsafe("send", 0200, directory, NULL, &send_operations);
	debugfs_create_file("state", 0400, directory, NULL, &state_fops);
	return 0;
}
module_init(test_init);

static void __exit test_exit(void)
{
	debugfs_remove(directory);
	ropcie_client_unregister(&client);
}
module_exit(test_exit);

MODULE_DESCRIPTION("Test of ropcie's packet port");
MODULE_LICENSE("GPL");
