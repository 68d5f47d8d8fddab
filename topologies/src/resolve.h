// SPDX-License-Identifier: MIT
// From what a file says to a cluster: defaults filled in, partitions numbered, names resolved.
#pragma once

#include "settings.h"
#include "topology/diagnostics.h"
#include "topology/topology.h"

namespace ntblab::topology {

/// Contradictions go to `diagnostics`, also of a file that has errors already; the result is of use only if
/// there are none.
Topology resolve(const FileSettings& file, Diagnostics& diagnostics);

}  // namespace ntblab::topology
