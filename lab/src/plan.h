// SPDX-License-Identifier: MIT
// A cluster about to be started, or one that is running: what is known of it without looking at its
// processes.
#pragma once

#include <ntblab/result.h>

#include <string>

#include "accelerator.h"
#include "cluster_paths.h"
#include "cluster_state.h"
#include "install.h"
#include "topology/topology.h"

namespace ntblab::lab {

struct Plan {
    topology::Topology topology;  ///< Named as the cluster is.
    std::string source;           ///< Text of the topology file.
    ClusterPaths paths;
    Install install;
    Accelerator accelerator = Accelerator::tcg;
    std::string kernel_options = {};  ///< What every guest's kernel is told; the image's own choice.
    std::string share = {};           ///< As of ClusterState, like the next three.
    std::string kernel = "stock";
    std::string guest_suite = {};
    bool gdb = false;
};

/// What the image wants its kernel told.
std::string kernel_options(const Install& install);

/// The plan of a cluster that is up, from its own copy of the topology.
Result<Plan> plan_of(const ClusterPaths& paths, const ClusterState& state);

/// Errors: files of ours are missing; the machine has less memory available than the nodes may take (unless
/// `overcommit`); the cluster's directory, which exists, has too little room; the paths of sockets would be
/// too long.
Result<void> check_host(const Plan& plan, bool overcommit);

/// /proc/meminfo's MemAvailable in bytes.
std::uint64_t available_memory();

}  // namespace ntblab::lab
