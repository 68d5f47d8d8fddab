// SPDX-License-Identifier: MIT
// The clusters that there are, and which of them, or of their nodes, a user means.
//
//     auto target = find_node("pair/a");
//     Ssh ssh(target->paths, target->node());
#pragma once

#include <ntblab/result.h>

#include <string>
#include <vector>

#include "cluster_paths.h"
#include "cluster_state.h"
#include "ssh.h"

namespace ntblab::lab {

struct Cluster {
    ClusterPaths paths;
    ClusterState state;
};

struct NodeTarget {
    ClusterPaths paths;
    ClusterState state;
    std::string name;

    const NodeState& node() const { return *state.find(name); }
};

/// Every cluster whose state can be read, sorted by name.
std::vector<Cluster> list_clusters();

/// The cluster of that name; with an empty name the only one. Errors name what there is.
Result<Cluster> find_cluster(const std::string& name);

/// NODE or CLUSTER/NODE. Errors: no such node, or several.
Result<NodeTarget> find_node(const std::string& text);

/// ssh to a node that is up. Errors: its QEMU does not tell the port.
Result<Ssh> open_ssh(const NodeTarget& target);

/// Its ntb-fabric has ended while the cluster is up: no register answers and no window leads anywhere.
bool lost_fabric(const ClusterState& state);
/// What to tell a user of such a cluster.
std::string lost_fabric_message(const ClusterPaths& paths);

/// "up", "starting", "stopping" or the like while someone works on it, "broken" if it was abandoned or lost
/// its fabric.
std::string condition_of(const Cluster& cluster);

}  // namespace ntblab::lab
