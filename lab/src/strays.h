// SPDX-License-Identifier: MIT
// The processes of a cluster, found by the mark in their environment: nothing that ntblab could fail to
// record matters.
//
//     auto left = end_cluster_processes("/tmp/ntblab-0/pair");
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "process.h"

namespace ntblab::lab {

/// Every process that carries a mark, by its value (the cluster's directory). Only those whose environment we
/// may read.
std::map<std::string, std::vector<ProcessId>> marked_processes();

/// Ends every process of the cluster, also such as appear meanwhile. @return those that could not be ended.
std::vector<ProcessId> end_cluster_processes(const std::filesystem::path& cluster);

}  // namespace ntblab::lab
