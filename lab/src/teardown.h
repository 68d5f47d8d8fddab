// SPDX-License-Identifier: MIT
// Taking a cluster down: its processes, then its directory.
#pragma once

#include <ntblab/result.h>

#include "cluster_paths.h"

namespace ntblab::lab {

/// The caller holds the cluster's lock. Nothing remains but what `error` names.
Result<void> destroy_cluster(const ClusterPaths& paths);

}  // namespace ntblab::lab
