// SPDX-License-Identifier: MIT
// What ntblab keeps about a cluster from one command to the next: state.json in its directory.
//
//     auto state = load_state(paths);
//     state->nodes[0].ssh_port = 40022;
//     save_state(paths, *state);
#pragma once

#include <ntblab/result.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cluster_paths.h"
#include "process.h"

namespace ntblab::lab {

struct NodeState {
    std::string name = {};
    unsigned index = 0;     ///< 1..N
    ProcessId qemu = {};    ///< Its virtual machine; may have ended since.
    unsigned ssh_port = 0;  ///< On 127.0.0.1; 0: not known yet.
    std::string address =
        {};  ///< Of its first NT endpoint's network, without the prefix length; empty: none.
    std::string lan_address = {};  ///< Likewise on the LAN.
};

struct ClusterState {
    std::string topology;      ///< File it was started from.
    std::string accelerator;   ///< "kvm" or "tcg".
    std::string share;         ///< Absolute path of the directory that the guests have as /share; "": none.
    std::string kernel;        ///< "stock", "debug", or the absolute path of a directory.
    std::string guest_suite;   ///< The guests' Debian; "": the default image's.
    bool gdb = false;          ///< Every machine has a socket for gdb.
    std::int64_t started = 0;  ///< Seconds since 1970.
    bool ready = false;        ///< `up` has seen every node ready.
    ProcessId holder;          ///< The ntblab that works on the cluster, while it does.
    std::string activity;      ///< What it is doing: "up", "down", "start", "stop".
    ProcessId fabric;          ///< ntb-fabric; {0, 0} if the topology has no switch.
    std::vector<NodeState> nodes;

    NodeState* find(const std::string& node);
    const NodeState* find(const std::string& node) const;
};

/// Errors: there is none (yet), or it cannot be understood.
Result<ClusterState> load_state(const ClusterPaths& paths);
Result<void> save_state(const ClusterPaths& paths, const ClusterState& state);

}  // namespace ntblab::lab
