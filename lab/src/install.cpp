// SPDX-License-Identifier: MIT
#include "install.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ntblab::lab {
namespace fs = std::filesystem;

std::vector<fs::path> Install::missing() const {
    std::vector<fs::path> result;
    for (const fs::path& path : {fabric(), qemu(), firmware(), kernel(), initrd(), rootfs()}) {
        std::error_code error;
        if (!fs::exists(path, error)) result.push_back(path);
    }
    return result;
}

Install find_install(const std::string& kernel) {
    std::error_code error;
    const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
    Install install{bin, bin.parent_path() / "lib", bin.parent_path() / "share/ntblab"};
    if (kernel != kStockKernel) {
        install.variant = "@" + kernel;
        std::replace(install.variant.begin(), install.variant.end(), '/', '+');
    }
    if (const char* share = std::getenv("NTBLAB_SHARE"); share != nullptr && *share != '\0')
        install.share = fs::absolute(share, error);
    return install;
}

}  // namespace ntblab::lab
