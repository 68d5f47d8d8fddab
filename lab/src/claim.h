// SPDX-License-Identifier: MIT
// Who may work on a cluster: making its directory for a new one, taking over one that exists.
//
//     auto claim = claim_new(paths, "up");      // refused if the cluster is up, however little of it is left
//     auto claim = claim_to_end(paths);         // waits for others, ends an `up` that is at it
#pragma once

#include <ntblab/result.h>

#include "cluster_paths.h"
#include "cluster_state.h"
#include "run_dir.h"

namespace ntblab::lab {

/// Makes the cluster's directory, empty. Errors: the cluster is up, is being started, or is half started and
/// abandoned; nothing has been touched then.
Result<DirectoryLock> claim_new(const ClusterPaths& paths);

/// For changing a cluster that is up; waits while another ntblab works on it. Errors: there is no such
/// cluster.
Result<DirectoryLock> claim_existing(const ClusterPaths& paths);

/// For taking a cluster down: whoever starts it or a node of it is told to stop (SIGTERM, later SIGKILL),
/// another `down` is waited for. nullopt: the cluster is gone.
std::optional<DirectoryLock> claim_to_end(const ClusterPaths& paths);

/// Notes in `state` that this process works on the cluster.
void take_hold(ClusterState& state, const std::string& activity);
void release_hold(ClusterState& state);

}  // namespace ntblab::lab
