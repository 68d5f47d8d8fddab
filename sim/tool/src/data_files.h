// SPDX-License-Identifier: MIT
// Where the files are that ntb-sim comes with: in its build, or where it is installed.
#pragma once

#include <filesystem>
#include <string>

namespace ntblab::sim {

/// `<folder of the program>/../share/ntblab/<folder>`: "profiles", "workloads", ...
std::filesystem::path data_folder(const std::string& folder);

}  // namespace ntblab::sim
