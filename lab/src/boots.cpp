// SPDX-License-Identifier: MIT
#include "boots.h"

#include <algorithm>

#include "files.h"
#include "status.h"
#include "text.h"

namespace ntblab::lab {

Boots count_boots(const std::filesystem::path& status_log) {
    const std::string text = read_if_there(status_log);
    const auto lines = split(text, '\n');
    return {static_cast<unsigned>(std::count(lines.begin(), lines.end(), "userspace")), text.size()};
}

std::string last_status(const std::filesystem::path& status_log) {
    NodeStatus status(0);
    for (const std::string& line : split(read_if_there(status_log), '\n')) status.take(line);
    return status.failure().empty() ? status.summary() : status.failure();
}

}  // namespace ntblab::lab
