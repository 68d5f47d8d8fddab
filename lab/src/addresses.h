// SPDX-License-Identifier: MIT
// The IPv4 networks of a cluster: one /24 for each NT pair, 10.77.K.0 for the K-th pair of the topology
// (counted from 0 over all switches, in the order of their partitions), 10.78.0.0 for the LAN, and 10.80.0.0
// for ropcie, which joins all nodes. The last byte is the node's index.
//
//     nt_address(topology, {0, 1});   // "10.77.0.2": switch 0, partition 1 of pair.yaml
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace ntblab::lab {

/// Of the network interface over an NT endpoint.
std::string nt_address(const topology::Topology& topology, const topology::Endpoint& endpoint);

/// Of the node's LAN interface; "" if the topology has no LAN. `node` counts from 0.
std::string lan_address(const topology::Topology& topology, std::size_t node);

/// Of the node's RDMA device (ropcie), whether or not it is loaded. `node` counts from 0.
std::string rdma_address(std::size_t node);

/// What all of these are in, as "10.77.0.0/16": who has no interface there reaches nobody by them.
std::vector<std::string> cluster_networks(const topology::Topology& topology);

}  // namespace ntblab::lab
