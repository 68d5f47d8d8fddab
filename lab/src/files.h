// SPDX-License-Identifier: MIT
// Whole files, with errors that say which one.
#pragma once

#include <ntblab/result.h>
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace ntblab::lab {

Result<std::string> read_file(const std::filesystem::path& path);

/// Writes beside `path` and renames: a reader sees the old content or the new one, never a part.
Result<void> write_file(const std::filesystem::path& path, const std::string& content, mode_t mode = 0600);

/// The directory's absolute path without symbolic links. Errors: "`path`: why not; expected a directory".
Result<std::string> find_directory(const std::filesystem::path& path);

/// The content, or "" if there is none to be had.
std::string read_if_there(const std::filesystem::path& path);

}  // namespace ntblab::lab
