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

}  // namespace

std::string nt_address(const Topology& topology, const Endpoint& endpoint) {
    const auto& partition = topology.switches[endpoint.sw].partitions[endpoint.partition];
    const unsigned number = pair_number(topology, endpoint);
    return fmt::format("10.{}.{}.{}", 77 + 2 * (number / 256), number % 256, *partition.node + 1);
}

std::string lan_address(const Topology& topology, std::size_t node) {
    return topology.lan ? fmt::format("10.78.0.{}", node + 1) : "";
}

std::string rdma_address(std::size_t node) {
    return fmt::format("10.80.0.{}", node + 1);
}

}  // namespace ntblab::lab
