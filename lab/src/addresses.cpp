// SPDX-License-Identifier: MIT
#include "addresses.h"

#include <fmt/format.h>

#include <algorithm>

namespace ntblab::lab {
namespace {

using topology::Endpoint;
using topology::Topology;

unsigned pair_number(const Topology& topology, const Endpoint& endpoint) {
    const unsigned first_side =
        std::min(endpoint.partition, *topology.switches[endpoint.sw].partitions[endpoint.partition].peer);
    unsigned number = 0;
    for (std::size_t sw = 0; sw <= endpoint.sw; ++sw) {
        const auto& partitions = topology.switches[sw].partitions;
        const std::size_t end = sw == endpoint.sw ? first_side : partitions.size();
        for (std::size_t partition = 0; partition < end; ++partition)
            if (partitions[partition].peer && partition < *partitions[partition].peer) ++number;
    }
    return number;
}

constexpr unsigned pairs_per_network = 256;

// Of a /16 with 256 pairs; 10.78 and 10.80 are not of pairs.
unsigned pair_network(unsigned pair) {
    return 77 + 2 * (pair / pairs_per_network);
}

}  // namespace

std::string nt_address(const Topology& topology, const Endpoint& endpoint) {
    const auto& partition = topology.switches[endpoint.sw].partitions[endpoint.partition];
    const unsigned number = pair_number(topology, endpoint);
    return fmt::format("10.{}.{}.{}", pair_network(number), number % pairs_per_network, *partition.node + 1);
}

std::string lan_address(const Topology& topology, std::size_t node) {
    return topology.lan ? fmt::format("10.78.0.{}", node + 1) : "";
}

std::string rdma_address(std::size_t node) {
    return fmt::format("10.80.0.{}", node + 1);
}

std::vector<std::string> cluster_networks(const Topology& topology) {
    std::vector<std::string> networks{"10.78.0.0/16", "10.80.0.0/16"};
    unsigned pairs = 0;
    for (const auto& sw : topology.switches) pairs += static_cast<unsigned>(sw.partitions.size()) / 2;
    for (unsigned pair = 0; pair < pairs; pair += pairs_per_network)
        networks.push_back(fmt::format("10.{}.0.0/16", pair_network(pair)));
    return networks;
}

}  // namespace ntblab::lab
