// SPDX-License-Identifier: MIT
#include "install.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "files.h"

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

std::string Install::advice() const {
    return fmt::format("{}, or let NTBLAB_SHARE name the folder that has qemu, kernel and image",
                       packaged ? "install the packages ntblab and ntblab-guest" : "run `./bootstrap build`");
}

std::string Install::advice(const std::string& arguments, const std::string& note) const {
    return fmt::format(
        "run `./bootstrap {}`{}{}", arguments, note,
        packaged ? " in a clone of ntblab, and let NTBLAB_SHARE name its build/share/ntblab" : "");
}

Install find_install(const std::string& kernel, const std::string& suite) {
    std::error_code error;
    const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
    const fs::path prefix = bin.parent_path();
    const fs::path own = prefix / "lib/ntblab";
    const fs::path share = prefix / "share/ntblab";
    Install install = fs::exists(own / "ntb-fabric", error)
                          ? Install{.bin = own, .lib = own / "qemu/lib", .share = share, .packaged = true}
                          : Install{.bin = bin, .lib = prefix / "lib", .share = share};
    if (const char* given = std::getenv("NTBLAB_SHARE"); given != nullptr && *given != '\0')
        install.share = fs::absolute(given, error);
    if (kernel != kStockKernel) {
        install.kernel_variant = "@" + kernel;
        std::replace(install.kernel_variant.begin(), install.kernel_variant.end(), '/', '+');
    }
    install.image_variant = install.kernel_variant;
    if (!suite.empty() && read_if_there(install.image_dir() / "suite") != suite + "\n")
        install.image_variant += "@" + suite;
    return install;
}

}  // namespace ntblab::lab
