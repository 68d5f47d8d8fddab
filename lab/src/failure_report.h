// SPDX-License-Identifier: MIT
// What a user is shown when a cluster does not come up.
#pragma once

#include <vector>

#include "boot_watch.h"
#include "cluster_paths.h"

namespace ntblab::lab {

/// Prints each failure with the last lines of its log and of the console that goes with it, and keeps the
/// cluster's logs in the cache directory, since the cluster's own is about to go.
void report_failures(const ClusterPaths& paths, const std::vector<BootFailure>& failures);

}  // namespace ntblab::lab
