// SPDX-License-Identifier: GPL-2.0-only

#include <linux/module.h>

#include "client.h"
#include "link.h"
#include "neighbour.h"
#include "node.h"

MODULE_DESCRIPTION("RDMA and IP over PCIe non-transparent bridges");
MODULE_LICENSE("GPL");

struct workqueue_struct *ropcie_workqueue;

static int __init ropcie_init(void)
{
	int err;

	/* As many links as there are may wait, each for its NTB. */
	ropcie_workqueue = alloc_workqueue("ropcie", WQ_UNBOUND, 0);
	if (!ropcie_workqueue)
		return -ENOMEM;
	err = ropcie_neighbours_register();
	if (err)
		goto destroy_workqueue;
	err = ropcie_transport_register();
	if (err)
		goto unregister_neighbours;
	err = ropcie_links_register();
	if (err)
		goto unregister_transport;
	return 0;

unregister_transport:
	ropcie_transport_unregister();
unregister_neighbours:
	ropcie_neighbours_unregister();
destroy_workqueue:
	destroy_workqueue(ropcie_workqueue);
	return err;
}
module_init(ropcie_init);

static void __exit ropcie_exit(void)
{
	ropcie_links_unregister();
	ropcie_transport_unregister();
	ropcie_neighbours_unregister();
	destroy_workqueue(ropcie_workqueue);
	/* kfree_rcu() needs no code of this module; call_rcu() is not used. */
}
module_exit(ropcie_exit);
