/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network device of a node: Ethernet to all its peers, one transmit queue for each link. A
 * frame for a MAC that no peer has goes to all, as on a switch. Checksums are left to be made: PCIe
 * has its own.
 */
#ifndef ROPCIE_NETDEV_H
#define ROPCIE_NETDEV_H

struct ropcie_node;
struct ropcie_path;
struct ropcie_peer;
struct ropcie_record;

int ropcie_netdev_create(struct ropcie_node *node);
int ropcie_netdev_register(struct ropcie_node *node);
void ropcie_netdev_unregister(struct ropcie_node *node);
void ropcie_netdev_destroy(struct ropcie_node *node);

/* softirq */
void ropcie_netdev_receive(struct ropcie_path *path, const struct ropcie_record *record);
/* A peer's queue may go on. Any context. */
void ropcie_netdev_room(struct ropcie_peer *peer);

extern const struct ethtool_ops ropcie_ethtool_ops;

#endif
