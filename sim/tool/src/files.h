// SPDX-License-Identifier: MIT
// Files that are read whole, and written whole or not at all.
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <string>

namespace ntblab::sim {

/// Errors: path, and what the system says.
Result<std::string> read_file(const std::filesystem::path& path);

/// Writes `path` beside itself and then puts it in place; "-" is standard output, and what is no regular file
/// (a device, a pipe) is written to as it is. Errors: path and what the system says (no space left, ...);
/// nothing of the new text remains then.
Result<void> write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace ntblab::sim
