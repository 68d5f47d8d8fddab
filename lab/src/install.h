// SPDX-License-Identifier: MIT
// Where ntblab's own parts are: programs and libraries of the build, and what bootstrap provided.
//
//     const Install install = find_install();
//     if (!install.missing().empty()) ...
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ntblab::lab {

struct Install {
    std::filesystem::path bin;    ///< ntblab, ntb-fabric.
    std::filesystem::path lib;    ///< libntb-endpoint.so.3.
    std::filesystem::path share;  ///< QEMU, kernel, image.
    std::string variant =
        {};  ///< After the names of kernel and image: "" the stock ones, "@debug", "@+path+of+a+directory".

    std::filesystem::path fabric() const { return bin / "ntb-fabric"; }
    std::filesystem::path qemu() const { return share / "qemu/bin/qemu-system-x86_64"; }
    std::filesystem::path firmware() const { return share / "qemu/share"; }
    std::filesystem::path kernel() const { return part("kernel") / "vmlinux"; }
    std::filesystem::path kernel_version() const { return part("kernel") / "version"; }
    std::filesystem::path initrd() const { return part("image") / "initrd.img"; }
    std::filesystem::path rootfs() const { return part("image") / "rootfs.erofs"; }

    std::filesystem::path kernel_options() const { return part("image") / "cmdline"; }

    std::filesystem::path part(const char* name) const { return share / (name + variant); }

    /// Those of the files above that running a cluster needs and that are not there.
    std::vector<std::filesystem::path> missing() const;
};

inline constexpr const char* kStockKernel = "stock";
inline constexpr const char* kDebugKernel = "debug";

/// `kernel`: "stock", "debug", or the absolute path of a directory in which a kernel was built. Beside the
/// running program: <its folder>/../lib, <its folder>/../share/ntblab. NTBLAB_SHARE replaces the latter.
Install find_install(const std::string& kernel = kStockKernel);

}  // namespace ntblab::lab
