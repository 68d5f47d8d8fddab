// SPDX-License-Identifier: MIT
// YAML files that are shipped in a folder, and known by their names without ".yaml"; or a user's, by its
// path.
//
//     const auto path = find_named("profile", "switchtec-gen4x16", "share/ntblab/profiles");
//     if (!path) return tl::unexpected(path.error());   // there is no profile '...'; did you mean '...'?
#pragma once

#include <ntblab/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ntblab::topology {

/// Whether a name is a path: names of what is shipped have neither a slash nor an ending.
bool is_path(const std::string& name);

/// Names of a folder's YAML files, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// The file that a name stands for, whether or not it is there.
std::filesystem::path named_path(const std::string& name, const std::filesystem::path& folder);

/// Likewise. Errors: no file of this name is shipped, with what it may stand for. `kind` is what it would be.
Result<std::filesystem::path> find_named(const std::string& kind, const std::string& name,
                                         const std::filesystem::path& folder);

}  // namespace ntblab::topology
