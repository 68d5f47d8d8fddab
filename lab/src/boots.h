// SPDX-License-Identifier: MIT
// What a node's status log tells after the fact.
#pragma once

#include <filesystem>
#include <string>

namespace ntblab::lab {

/// How often the guest has come to user space.
unsigned count_boots(const std::filesystem::path& status_log);

/// How far its present boot is, for people; "not booted yet" without a line.
std::string last_status(const std::filesystem::path& status_log);

}  // namespace ntblab::lab
