// SPDX-License-Identifier: MIT
#include "data_files.h"

#include <system_error>

namespace ntblab::sim {
namespace fs = std::filesystem;

fs::path data_folder(const std::string& folder) {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "share/ntblab" / folder;
}

}  // namespace ntblab::sim
