// SPDX-License-Identifier: MIT
#include "guest_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "addresses.h"

namespace ntblab::lab {
namespace {

using topology::Endpoint;
using topology::Topology;

bool loads_ropcie(const topology::Node& node) {
    return std::find(node.modules.begin(), node.modules.end(), "ropcie") != node.modules.end();
}

/// Where `node` reaches `other`; "" if it does not.
std::string address_seen_by(const Topology& topology, std::size_t node, std::size_t other) {
    const bool by_ropcie = loads_ropcie(topology.nodes[node]) && loads_ropcie(topology.nodes[other]);
    for (const Endpoint& endpoint : topology.endpoints(other)) {
        const auto& partitions = topology.switches[endpoint.sw].partitions;
        if (other == node || partitions[*partitions[endpoint.partition].peer].node == node)
            return by_ropcie ? rdma_address(other) : nt_address(topology, endpoint);
    }
    return lan_address(topology, other);
}

}  // namespace

std::string guest_config(const Topology& topology, std::size_t node, const std::string& share) {
    std::vector<std::string> addresses;
    for (const Endpoint& endpoint : topology.endpoints(node))
        addresses.push_back(nt_address(topology, endpoint) + "/24");
    const std::string lan = lan_address(topology, node);
    // Every value is of a form without quotes: names, addresses, module names.
    return fmt::format(
        "NTBLAB_CLUSTER='{}'\nNTBLAB_NODE='{}'\nNTBLAB_INDEX='{}'\nNTBLAB_ADDRESSES='{}'\n"
        "NTBLAB_LAN_ADDRESS='{}'\nNTBLAB_RDMA_ADDRESS='{}/24'\nNTBLAB_NETWORKS='{}'\nNTBLAB_MODULES='{}'\n"
        "NTBLAB_SHARE='{}'\n",
        topology.name, topology.nodes[node].name, node + 1, fmt::join(addresses, " "),
        lan.empty() ? "" : lan + "/24", rdma_address(node), fmt::join(cluster_networks(topology), " "),
        fmt::join(topology.nodes[node].modules, " "), share);
}

std::string guest_hosts(const Topology& topology, std::size_t node) {
    std::string result = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
    for (std::size_t other = 0; other < topology.nodes.size(); ++other) {
        const std::string& name = topology.nodes[other].name;
        std::string address = address_seen_by(topology, node, other);
        if (address.empty() && other == node) address = "127.0.1.1";
        if (!address.empty()) result += fmt::format("{} {}\n", address, name);
        result += fmt::format("{} {}.rdma\n", rdma_address(other), name);
        if (topology.lan) result += fmt::format("{} {}.lan\n", lan_address(topology, other), name);
    }
    return result;
}

}  // namespace ntblab::lab
