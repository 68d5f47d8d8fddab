// SPDX-License-Identifier: MIT
#include "together.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace ntblab::sim {
namespace {

using pcie::Profile;

constexpr unsigned kMostOfTopologies = 5;  ///< Generation.

struct ByGeneration {
    bool operator()(const topology::Link& left, const topology::Link& right) const {
        return std::pair(left.generation, left.width) < std::pair(right.generation, right.width);
    }
};
using Links = std::set<topology::Link, ByGeneration>;

/// Of the hosts of flows, towards each other.
Links links_of(const topology::Topology& topology, const std::vector<Flow>& flows) {
    Links links;
    for (const auto& sw : topology.switches)
        for (const auto& partition : sw.partitions) {
            if (!partition.node || !partition.peer) continue;
            const std::size_t node = *partition.node, peer = *sw.partitions[*partition.peer].node;
            if (std::ranges::any_of(flows, [&](const Flow& flow) {
                    return (flow.from == node && flow.to == peer) || (flow.from == peer && flow.to == node);
                }))
                links.insert(partition.link);
        }
    return links;
}

std::string name_of(const topology::Link& link) {
    return fmt::format("Gen{} x{}", link.generation, link.width);
}

/// How hosts' links are made what a profile's are.
std::string how_to_have(unsigned generation, unsigned lanes, const topology::Topology& topology) {
    if (generation > kMostOfTopologies) return "which no topology has";
    const bool newer = std::ranges::any_of(
        topology.switches, [&](const topology::Switch& sw) { return sw.generation < generation; });
    return fmt::format(
        "for which the topology has to say link: {{generation: {}, width: x{}}}{}", generation, lanes,
        newer ? fmt::format(", and a switch of it, such as model: pfx-100xg{}", generation) : "");
}

bool has_iommu(const topology::Topology& topology) {
    return std::ranges::any_of(topology.nodes, &topology::Node::iommu);
}

}  // namespace

Result<void> check_together(const Profile& profile, const Workload& workload) {
    if (const auto found = pcie::conflicts(profile); !found.empty())
        return fail(fmt::format("profile '{}': {}", profile.name, found.front().message));
    if (workload.operation != Operation::doorbell) return {};
    const std::uint64_t most = std::ranges::max(workload.sizes);
    if (most > profile.cpu.store_bytes)
        return fail(
            fmt::format("workload '{}': a doorbell is one store, of at most cpu.store-bytes, {}; "
                        "sizes have {}: give --sizes 4",
                        workload.name, profile.cpu.store_bytes, most));
    return {};
}

std::string no_effect(std::string_view parameter, const Profile& profile, const topology::Topology& topology,
                      const Workload& workload) {
    const auto of = [&](std::string_view module) { return parameter.starts_with(module); };
    const std::string_view operation = name_of(workload.operation);
    if (profile.fabric == Profile::Fabric::switched) {
        if (parameter == "link.generation" || parameter == "link.lanes")
            return fmt::format(
                "hosts' links are the topology's, which says link: {{generation: {}, width: x{}}}; "
                "profile '{}' has no other links",
                profile.generation, profile.lanes, profile.name);
        if (of("cable.") || parameter == "hop.cable-weight")
            return fmt::format(
                "profile '{}' is of a switch, without cables between adapters; link.metres and "
                "link.retimers are of hosts' links",
                profile.name);
    }
    if (parameter == "host.message") return "it is no part of a run";
    if (of("iommu.") && !has_iommu(topology))
        return fmt::format("no node of topology '{}' has iommu: true", topology.name);
    if (parameter == "host.uncached" && !workload.uncached)
        return fmt::format("workload '{}' does not say uncached: true", workload.name);
    if (parameter == "host.remote" && !workload.remote)
        return fmt::format("workload '{}' does not say remote: true", workload.name);
    if (of("rdma.") && !is_rdma(workload.operation)) return fmt::format("{} is no RDMA", operation);
    if (of("dma.") && !is_dma(workload.operation)) return fmt::format("{} is of no DMA engine", operation);
    if (of("cpu.") && (is_dma(workload.operation) || workload.operation == Operation::trace))
        return fmt::format("{} is of no CPU", operation);
    return "";
}

std::vector<std::string> notes(const Profile& profile, const topology::Topology& topology,
                               const Workload& workload, const std::vector<Flow>& flows) {
    std::vector<std::string> result;
    const Links links = links_of(topology, flows);
    const topology::Link own{profile.generation, profile.lanes};
    if (!links.empty() && links != Links{own}) {
        std::vector<std::string> names;
        for (const topology::Link& link : links) names.push_back(name_of(link));
        result.push_back(
            fmt::format("hosts' links are {}, as topology '{}' has them, and not the {} of profile "
                        "'{}', {}",
                        fmt::join(names, ", "), topology.name, name_of(own), profile.name,
                        how_to_have(own.generation, own.width, topology)));
    }
    if (links.empty() || !is_dma(workload.operation)) return result;
    const unsigned slowest = links.begin()->generation;
    if (const unsigned most = pcie::most_tags(slowest); profile.dma.tags > most)
        result.push_back(
            fmt::format("dma.tags is {}, but tags of Gen{}, as a link of topology '{}' is, are at "
                        "most {}",
                        profile.dma.tags, slowest, topology.name, most));
    return result;
}

}  // namespace ntblab::sim
