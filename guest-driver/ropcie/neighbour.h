/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peers tell each other the IP addresses of their network devices, and each makes permanent
 * neighbours of them, so that no connection waits for ARP or neighbour discovery. (Both would work,
 * too: a frame to all goes to all.)
 */
#ifndef ROPCIE_NEIGHBOUR_H
#define ROPCIE_NEIGHBOUR_H

#include <linux/types.h>

struct ropcie_node;
struct ropcie_peer;

void ropcie_neighbours_init(struct ropcie_node *node);
/* After the network device has been unregistered. */
void ropcie_neighbours_exit(struct ropcie_node *node);

/* Any context. */
void ropcie_neighbours_tell(struct ropcie_node *node);
void ropcie_neighbours_restore(struct ropcie_node *node);
/* softirq; the payload of a ROPCIE_KIND_ADDRESSES record, which the peer can still write. */
void ropcie_neighbours_heard(struct ropcie_peer *peer, const void *payload, u32 length);

int ropcie_neighbours_register(void);
void ropcie_neighbours_unregister(void);

#endif
