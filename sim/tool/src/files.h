// SPDX-License-Identifier: MIT
// Files that are read whole, and written whole or not at all.
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <string>

namespace ntblab::sim {

/// Errors: path, and what the system says.
Result<std::string> read_file(const std::filesystem::path& path);

/// "-" is standard output, all else an OutputFile. Errors: path and what the system says (no space left,
/// ...).
Result<void> write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace ntblab::sim
