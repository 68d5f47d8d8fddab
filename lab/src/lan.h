// SPDX-License-Identifier: MIT
// The virtio-net LAN as QEMU options. Two nodes are joined directly; more are joined by a hub in the first
// node's QEMU, to which each of the others has a stream of its own. Who connects keeps trying, so a machine
// may end and come back.
#pragma once

#include <string>
#include <vector>

#include "cluster_paths.h"
#include "topology/topology.h"

namespace ntblab::lab {

/// Options that give the node a network backend with the id "lan"; none if the topology has no LAN or no
/// second node.
std::vector<std::string> lan_options(const topology::Topology& topology, std::size_t node,
                                     const ClusterPaths& paths);

}  // namespace ntblab::lab
