// SPDX-License-Identifier: MIT
// Options that `up`, `run` and `test` share.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <string>
#include <vector>

#include "bring_up.h"
#include "files.h"
#include "install.h"

namespace ntblab::lab {

/// For CLI11: what is wrong with a value; "" if nothing is. An empty value stands for none, over the
/// environment's.
inline std::string directory_or_none(const std::string& path) {
    if (path.empty()) return "";
    const auto found = find_directory(path);
    return found ? "" : found.error().message;
}

inline void add_up_options(CLI::App& command, UpOptions& options) {
    command.add_option("FILE", options.file, "Topology file (docs/topology.md)")->required();
    command.add_option("--name", options.name, "Name of the cluster, instead of the file's")
        ->check([](const std::string& name) {
            return topology::valid_name(name) ? ""
                                              : name +
                                                    ": a cluster's name has lower-case letters, digits and "
                                                    "inner hyphens, 1 to 32 of them";
        });
    command
        .add_option("--accel", options.accelerator, "auto (KVM if it runs guests here, else TCG), kvm or tcg")
        ->check(CLI::IsMember({"auto", "kvm", "tcg"}))
        ->envname("NTBLAB_ACCEL")
        ->capture_default_str();
    command
        .add_option_function<unsigned>(
            "--timeout", [&options](unsigned seconds) { options.timeout = std::chrono::seconds(seconds); },
            "Seconds until every node must be ready (default 180)")
        ->check(CLI::Range(1, 86400))
        ->envname("NTBLAB_TIMEOUT");
    command
        .add_option("--share", options.share,
                    "Directory of the host that the guests have as /share, to read and write")
        ->check(directory_or_none)
        ->envname("NTBLAB_SHARED_DIR");
    command
        .add_option("--kernel", options.kernel,
                    "stock, debug, or the directory of a kernel that you have built; the latter two after "
                    "`./bootstrap kernel "
                    "debug|DIR`")
        ->check([](const std::string& kernel) {
            if (kernel == kStockKernel || kernel == kDebugKernel) return std::string();
            const std::string problem = directory_or_none(kernel);
            return problem.empty() ? "" : problem + ", or stock or debug";
        })
        ->envname("NTBLAB_KERNEL");
    command
        .add_option("--guest-suite", options.guest_suite,
                    "The guests' Debian; its image is made by `./bootstrap image SUITE`")
        ->check(CLI::IsMember(
            std::vector<std::string>(topology::kGuestSuites.begin(), topology::kGuestSuites.end())))
        ->envname("NTBLAB_GUEST_SUITE");
    command.add_flag("--gdb", options.gdb, "Give every node a socket for gdb: gdb.sock in its directory");
    command.add_flag("--overcommit", options.overcommit, "Start even if memory might not suffice")
        ->envname("NTBLAB_OVERCOMMIT");
}

}  // namespace ntblab::lab
