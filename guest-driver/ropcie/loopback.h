/* SPDX-License-Identifier: GPL-2.0-only */
/* The node as its own peer: a path in plain memory, up for as long as the node lives. */
#ifndef ROPCIE_LOOPBACK_H
#define ROPCIE_LOOPBACK_H

struct ropcie_node;

/* The node's loopback peer is among its peers then, with its path. */
int ropcie_loopback_create(struct ropcie_node *node);
void ropcie_loopback_destroy(struct ropcie_node *node);

#endif
