// SPDX-License-Identifier: MIT
#include "data_files.h"

#include <algorithm>
#include <system_error>

namespace ntblab::sim {
namespace fs = std::filesystem;

fs::path data_folder(const std::string& folder) {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "share/ntblab" / folder;
}

bool is_path(const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".yaml");
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

}  // namespace ntblab::sim
