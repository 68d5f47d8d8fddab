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

    std::filesystem::path fabric() const { return bin / "ntb-fabric"; }
    std::filesystem::path qemu() const { return share / "qemu/bin/qemu-system-x86_64"; }
    std::filesystem::path firmware() const { return share / "qemu/share"; }
    std::filesystem::path kernel() const { return share / "kernel/vmlinux"; }
    std::filesystem::path kernel_version() const { return share / "kernel/version"; }
    std::filesystem::path initrd() const { return share / "image/initrd.img"; }
    std::filesystem::path rootfs() const { return share / "image/rootfs.erofs"; }

    std::filesystem::path kernel_options() const { return share / "image/cmdline"; }

    /// Those of the files above that running a cluster needs and that are not there.
    std::vector<std::filesystem::path> missing() const;
};

/// Beside the running program: <its folder>/../lib, <its folder>/../share/ntblab. NTBLAB_SHARE replaces the
/// latter.
Install find_install();

}  // namespace ntblab::lab
