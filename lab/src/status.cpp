// SPDX-License-Identifier: MIT
#include "status.h"

#include <fmt/format.h>

#include <algorithm>

namespace ntblab::lab {
namespace {

/// Clients that call ntb_link_enable when they bind (Linux 6.12: ntb_transport.c, ntb_perf.c,
/// ntb_pingpong.c).
bool enables_link(const std::string& module) {
    return module == "ropcie" || module == "ntb_netdev" || module == "ntb_transport" ||
           module == "ntb_perf" || module == "ntb_pingpong";
}

bool links_by_itself(const topology::Node& node) {
    const auto& modules = node.modules;
    return std::find(modules.begin(), modules.end(), "ntb_hw_switchtec") != modules.end() &&
           std::any_of(modules.begin(), modules.end(), enables_link);
}

/// Of the endpoints whose peer is among `wanted`.
template <typename Wanted>
std::size_t count_links(const topology::Topology& topology, std::size_t node, Wanted wanted) {
    if (!links_by_itself(topology.nodes[node])) return 0;
    const auto endpoints = topology.endpoints(node);
    return static_cast<std::size_t>(
        std::count_if(endpoints.begin(), endpoints.end(), [&](const auto& endpoint) {
            const auto& partitions = topology.switches[endpoint.sw].partitions;
            const std::size_t peer = *partitions[*partitions[endpoint.partition].peer].node;
            return wanted(peer) && links_by_itself(topology.nodes[peer]);
        }));
}

}  // namespace

void NodeStatus::take(const std::string& line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string event = line.substr(0, space);
    const std::string detail = space < line.size() ? line.substr(space + 1) : "";
    if (event == "power-on" || event == "userspace") {
        *this = NodeStatus(expected_links_);  // a new boot; a guest that reboots itself says only the second
        userspace_ = event == "userspace";
    } else if (event == "drivers") {
        drivers_ = true;
    } else if (event == "drivers-failed") {
        failure_ = fmt::format("the kernel module {} could not be loaded", detail);
    } else if (event == "share-failed") {
        failure_ = fmt::format("the host's directory could not be mounted on /share: {}", detail);
    } else if (event == "ssh") {
        ssh_ = true;
    } else if (event == "link-up") {
        links_up_.insert(detail);
    } else if (event == "link-down") {
        links_up_.erase(detail);
    }
}

std::string NodeStatus::summary() const {
    if (!failure_.empty()) return "failed";
    if (ready()) return "ready";
    if (!userspace_) return "booting";
    std::string result = ssh_ ? "ssh" : drivers_ ? "drivers" : "userspace";
    if (expected_links_ > 0) result += fmt::format(", {} of {} links up", links_up_.size(), expected_links_);
    return result;
}

std::size_t links_expected(const topology::Topology& topology, std::size_t node) {
    return count_links(topology, node, [](std::size_t) { return true; });
}

std::size_t links_expected(const topology::Topology& topology, std::size_t node, std::size_t peer) {
    return count_links(topology, node, [peer](std::size_t other) { return other == peer; });
}

}  // namespace ntblab::lab
