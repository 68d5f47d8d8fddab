// SPDX-License-Identifier: MIT
// Where the files are that ntb-sim comes with: in its build, or where it is installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ntblab::sim {

/// `<folder of the program>/../share/ntblab/<folder>`: "profiles", "workloads", ...
std::filesystem::path data_folder(const std::string& folder);

/// Whether a name is a path: names of what is shipped have neither a slash nor an ending.
bool is_path(const std::string& name);

/// Names of a folder's YAML files, without their extension, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace ntblab::sim
