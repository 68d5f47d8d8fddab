// SPDX-License-Identifier: MIT
#include "cluster_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <thread>

#include "run_dir.h"
#include "vm.h"

namespace ntblab::lab {
namespace {

constexpr std::chrono::seconds kMonitorLimit{30};
constexpr std::chrono::milliseconds kMonitorInterval{50};

std::string names_of(const std::vector<Cluster>& clusters) {
    std::vector<std::string> names;
    names.reserve(clusters.size());
    for (const Cluster& cluster : clusters) names.push_back(cluster.paths.name());
    return names.empty() ? "no cluster is up" : fmt::format("up: {}", fmt::join(names, ", "));
}

}  // namespace

std::vector<Cluster> list_clusters() {
    std::vector<Cluster> result;
    const auto base = run_base();
    for (const std::string& name : cluster_names(base)) {
        const ClusterPaths paths{base / name};
        if (auto state = load_state(paths)) result.push_back({paths, std::move(*state)});
    }
    return result;
}

Result<Cluster> find_cluster(const std::string& name) {
    if (auto readable = check_run_base(); !readable) return tl::unexpected(readable.error());
    auto clusters = list_clusters();
    if (name.empty()) {
        if (clusters.size() == 1) return std::move(clusters[0]);
        return fail(clusters.empty() ? "no cluster is up; `ntblab up FILE` starts one"
                                     : fmt::format("which cluster? {}", names_of(clusters)));
    }
    for (Cluster& cluster : clusters)
        if (cluster.paths.name() == name) return std::move(cluster);
    return fail(fmt::format("there is no cluster '{}' ({})", name, names_of(clusters)));
}

Result<NodeTarget> find_node(const std::string& text) {
    const std::size_t slash = text.find('/');
    const std::string wanted = slash == std::string::npos ? text : text.substr(slash + 1);
    std::vector<Cluster> clusters;
    if (slash == std::string::npos) {
        if (auto readable = check_run_base(); !readable) return tl::unexpected(readable.error());
        clusters = list_clusters();
    } else {
        auto cluster = find_cluster(text.substr(0, slash));
        if (!cluster) return tl::unexpected(cluster.error());
        clusters.push_back(std::move(*cluster));
    }
    std::vector<std::string> candidates;
    std::vector<NodeTarget> found;
    for (Cluster& cluster : clusters) {
        for (const NodeState& node : cluster.state.nodes)
            candidates.push_back(cluster.paths.name() + "/" + node.name);
        if (cluster.state.find(wanted) != nullptr) found.push_back({cluster.paths, cluster.state, wanted});
    }
    if (found.size() == 1) return std::move(found[0]);
    if (found.empty())
        return fail(fmt::format(
            "there is no node '{}' ({})", text,
            candidates.empty() ? "no node is up" : fmt::format("up: {}", fmt::join(candidates, ", "))));
    std::vector<std::string> ways;
    ways.reserve(found.size());
    for (const NodeTarget& target : found) ways.push_back(target.paths.name() + "/" + wanted);
    return fail(
        fmt::format("several clusters have a node '{}'; write one of {}", wanted, fmt::join(ways, ", ")));
}

Result<Ssh> open_ssh(const NodeTarget& target) {
    NodeState node = target.node();
    if (node.ssh_port == 0 && is_alive(node.qemu)) {
        // One that has just been started has not opened its monitor yet.
        const auto end = std::chrono::steady_clock::now() + kMonitorLimit;
        auto port = find_ssh_port(target.paths.node(node.name));
        while (!port && is_alive(node.qemu) && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(kMonitorInterval);
            port = find_ssh_port(target.paths.node(node.name));
        }
        if (!port) return tl::unexpected(port.error());
        node.ssh_port = *port;
    }
    return Ssh(target.paths, node);
}

bool lost_fabric(const ClusterState& state) {
    return state.fabric.pid != 0 && !is_alive(state.fabric);
}

std::string lost_fabric_message(const ClusterPaths& paths) {
    return fmt::format(
        "the ntb-fabric of cluster '{0}' has ended, and its switches with it (see {1}); `ntblab down {0}`, "
        "then up again",
        paths.name(), paths.fabric_log().string());
}

std::string condition_of(const Cluster& cluster) {
    const ClusterState& state = cluster.state;
    if (is_alive(state.holder))
        return state.activity == "up" ? "starting" : state.activity == "down" ? "stopping" : "up";
    if (!state.ready) return "broken";
    return lost_fabric(state) ? "broken" : "up";
}

}  // namespace ntblab::lab
