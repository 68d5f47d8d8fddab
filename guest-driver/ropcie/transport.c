// SPDX-License-Identifier: GPL-2.0-only
/* The ib_device of a node comes and goes. */

#include <linux/slab.h>

#include "device.h"
#include "mcast.h"
#include "packet.h"
#include "port.h"

int ropcie_transport_add(struct ropcie_node *node)
{
	struct ropcie_device *device = ib_alloc_device(ropcie_device, ib);
	int err;

	if (!device)
		return -ENOMEM;
	device->node = node;
	device->netdev = ropcie_node_netdev(node);
	ropcie_table_init(&device->qps, ROPCIE_FIRST_QPN, ROPCIE_LAST_QPN, ROPCIE_MAX_QP);
	ropcie_table_init(&device->keys, 1, ROPCIE_MAX_KEY, ROPCIE_MAX_KEY);
	ropcie_table_init(&device->srqs, 1, ROPCIE_PSN_MASK, ROPCIE_MAX_SRQ);
	xa_init_flags(&device->address_vectors, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&device->groups, XA_FLAGS_LOCK_IRQ);
	mutex_init(&device->groups_mutex);
	spin_lock_init(&device->bind_lock);
	spin_lock_init(&device->blocked_lock);
	spin_lock_init(&device->port_lock);
	INIT_LIST_HEAD(&device->blocked);

	device->workqueue = alloc_workqueue("ropcie%u", WQ_HIGHPRI | WQ_MEM_RECLAIM | WQ_UNBOUND, 0,
					    ropcie_node_index(node));
	if (!device->workqueue) {
		err = -ENOMEM;
		goto free;
	}
	ropcie_node_set_transport(node, device);
	err = ropcie_device_register(device);
	if (err)
		goto unset;
	return 0;

unset:
	ropcie_node_set_transport(node, NULL);
	synchronize_net();
	destroy_workqueue(device->workqueue);
free:
	ib_dealloc_device(&device->ib);
	return err;
}

void ropcie_transport_remove(struct ropcie_node *node)
{
	struct ropcie_device *device = ropcie_node_transport(node);

	if (!device)
		return;
	spin_lock_bh(&device->port_lock);
	device->port_silent = true;
	spin_unlock_bh(&device->port_lock);
	/* Packets come in until the last queue pair is gone: who ends a connection wants an answer. */
	ib_unregister_device(&device->ib);
	ropcie_node_set_transport(node, NULL);
	synchronize_net();
	destroy_workqueue(device->workqueue);
	ropcie_multicast_destroy(device);
	xa_destroy(&device->address_vectors);
	ropcie_table_destroy(&device->qps);
	ropcie_table_destroy(&device->keys);
	ropcie_table_destroy(&device->srqs);
	ib_dealloc_device(&device->ib);
}
