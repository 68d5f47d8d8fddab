// SPDX-License-Identifier: MIT
// The command lines of a cluster's processes. Pure functions: the same input gives the same line, nothing is
// looked at.
//
//     auto line = qemu_command(topology, 0, paths, install, Accelerator::tcg);
//     std::cout << shell_join(line) << '\n';
#pragma once

#include <string>
#include <vector>

#include "accelerator.h"
#include "cluster_paths.h"
#include "install.h"
#include "topology/topology.h"

namespace ntblab::lab {

/// The node's QEMU. `node` counts from 0.
std::vector<std::string> qemu_command(const topology::Topology& topology, std::size_t node,
                                      const ClusterPaths& paths, const Install& install,
                                      Accelerator accelerator);

std::vector<std::string> fabric_command(const ClusterPaths& paths, const Install& install);

/// NAME=VALUE entries that both need.
std::vector<std::string> cluster_environment(const ClusterPaths& paths, const Install& install);

}  // namespace ntblab::lab
