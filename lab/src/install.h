// SPDX-License-Identifier: MIT
// Where ntblab's own parts are: programs and libraries of the build or of an installation, and what bootstrap
// provided.
//
//     const Install install = find_install();
//     if (!install.missing().empty()) ...
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ntblab::lab {

struct Install {
    std::filesystem::path bin;    ///< ntb-fabric.
    std::filesystem::path lib;    ///< libntb-endpoint.so.4.
    std::filesystem::path share;  ///< QEMU, kernel, image.
    /// After the name of the kernel: "" the stock one, "@debug", "@+path+of+a+directory".
    std::string kernel_variant = {};
    /// After the name of the image, which is of a kernel and of a Debian: "", "@debug", "@bookworm",
    /// "@debug@bookworm".
    std::string image_variant = {};
    bool packaged = false;  ///< Installed and not in a build tree: parts come as packages, not by bootstrap.

    std::filesystem::path fabric() const { return bin / "ntb-fabric"; }
    std::filesystem::path qemu() const { return share / "qemu/bin/qemu-system-x86_64"; }
    std::filesystem::path firmware() const { return share / "qemu/share"; }
    std::filesystem::path kernel_dir() const { return share / ("kernel" + kernel_variant); }
    std::filesystem::path kernel() const { return kernel_dir() / "vmlinux"; }
    std::filesystem::path kernel_version() const { return kernel_dir() / "version"; }
    std::filesystem::path image_dir() const { return share / ("image" + image_variant); }
    std::filesystem::path initrd() const { return image_dir() / "initrd.img"; }
    std::filesystem::path rootfs() const { return image_dir() / "rootfs.erofs"; }
    std::filesystem::path kernel_options() const { return image_dir() / "cmdline"; }

    /// Those of the files above that running a cluster needs and that are not there.
    std::vector<std::filesystem::path> missing() const;

    /// What a user does who lacks the parts that everybody needs, as the end of a sentence.
    std::string advice() const;
    /// Likewise for a kernel or an image that `./bootstrap <arguments>` makes; `note` is about that command.
    std::string advice(const std::string& arguments, const std::string& note = "") const;
};

inline constexpr const char* kStockKernel = "stock";
inline constexpr const char* kDebugKernel = "debug";

/// `kernel`: "stock", "debug", or the absolute path of a directory in which a kernel was built. `suite`: the
/// guests' Debian, or "" for whichever the image without a name has. Looks beside the running program: in
/// <its folder>/../lib/ntblab and ../share/ntblab if it is installed, else in <its folder>, ../lib,
/// ../share/ntblab of the build tree. NTBLAB_SHARE replaces the share.
Install find_install(const std::string& kernel = kStockKernel, const std::string& suite = "");

}  // namespace ntblab::lab
