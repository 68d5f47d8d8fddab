// SPDX-License-Identifier: MIT
// Clusters as JSON for machines: what `up --json` and `ls --json` print (lab/README.md has the fields).
#pragma once

#include <nlohmann/json.hpp>

#include "cluster_list.h"

namespace ntblab::lab {

nlohmann::ordered_json describe_cluster(const Cluster& cluster);

}  // namespace ntblab::lab
