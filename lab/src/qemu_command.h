// SPDX-License-Identifier: MIT
// The command lines of a cluster's processes. Pure functions: the same input gives the same line, nothing is
// looked at.
//
//     auto line = qemu_command(plan, 0);
//     std::cout << shell_join(line) << '\n';
#pragma once

#include <string>
#include <vector>

#include "plan.h"

namespace ntblab::lab {

/// The node's QEMU. `node` counts from 0.
std::vector<std::string> qemu_command(const Plan& plan, std::size_t node);

std::vector<std::string> fabric_command(const Plan& plan);

/// NAME=VALUE entries that both need.
std::vector<std::string> cluster_environment(const Plan& plan);

}  // namespace ntblab::lab
