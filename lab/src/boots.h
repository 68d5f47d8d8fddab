// SPDX-License-Identifier: MIT
// What a node's status log tells after the fact.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ntblab::lab {

struct Boots {
    unsigned count = 0;       ///< How often the guest has come to user space.
    std::uint64_t bytes = 0;  ///< Of the log that this is counted from.
};

Boots count_boots(const std::filesystem::path& status_log);

/// How far its present boot is, for people; "not booted yet" without a line.
std::string last_status(const std::filesystem::path& status_log);

}  // namespace ntblab::lab
