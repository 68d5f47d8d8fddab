// SPDX-License-Identifier: GPL-2.0-only

#include <linux/bottom_half.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "loopback.h"
#include "node.h"
#include "path.h"

struct ropcie_loopback {
	struct ropcie_path	path;
	struct ropcie_window	window;
	struct ropcie_peer	*peer;
};

/* Where a softirq may run, it does at once, rather than in ksoftirqd. */
static void loopback_bell(struct ropcie_path *path)
{
	bool here = !in_interrupt() && !irqs_disabled();

	if (here)
		local_bh_disable();
	ropcie_path_rung(path);
	if (here)
		local_bh_enable();
}

static void loopback_broken(struct ropcie_path *path)
{
	WARN_ONCE(1, "ropcie: the loopback ring is corrupt\n");
}

int ropcie_loopback_create(struct ropcie_node *node)
{
	struct ropcie_loopback *loopback;
	int err = -ENOMEM;

	loopback = kzalloc(sizeof(*loopback), GFP_KERNEL);
	if (!loopback)
		return -ENOMEM;
	loopback->window.usable = ROPCIE_WINDOW_MIN;
	loopback->window.memory = vzalloc(ROPCIE_WINDOW_MIN);
	if (!loopback->window.memory)
		goto free;

	err = ropcie_node_claim(node, NULL, node->mac, &loopback->peer);
	if (err)
		goto free;
	ropcie_path_init(&loopback->path, node, loopback_bell, loopback_broken);
	/* Own and peer's window are the same, and the epoch any but 0. */
	err = ropcie_path_open(&loopback->path, loopback->peer, &loopback->window,
			       &loopback->window, 1);
	if (err)
		goto exit;
	node->loopback = loopback;
	ropcie_node_attach(loopback->peer, &loopback->path);
	return 0;

exit:
	ropcie_path_exit(&loopback->path);
	ropcie_node_unclaim(loopback->peer);
free:
	vfree(loopback->window.memory);
	kfree(loopback);
	return err;
}

void ropcie_loopback_destroy(struct ropcie_node *node)
{
	struct ropcie_loopback *loopback = node->loopback;

	ropcie_node_detach(loopback->peer);
	ropcie_path_exit(&loopback->path);
	ropcie_node_unclaim(loopback->peer);
	vfree(loopback->window.memory);
	kfree(loopback);
	node->loopback = NULL;
}
