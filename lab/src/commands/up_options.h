// SPDX-License-Identifier: MIT
// Options that `up` and `run` share.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>

#include "bring_up.h"

namespace ntblab::lab {

inline void add_up_options(CLI::App& command, UpOptions& options) {
    command.add_option("FILE", options.file, "Topology file (docs/topology.md)")->required();
    command.add_option("--name", options.name, "Name of the cluster, instead of the file's")
        ->check([](const std::string& name) { return name.empty() ? "a name has at least one letter" : ""; });
    command
        .add_option("--accel", options.accelerator, "auto (KVM if it runs guests here, else TCG), kvm or tcg")
        ->check(CLI::IsMember({"auto", "kvm", "tcg"}))
        ->capture_default_str();
    command
        .add_option_function<unsigned>(
            "--timeout", [&options](unsigned seconds) { options.timeout = std::chrono::seconds(seconds); },
            "Seconds until every node must be ready (default 180)")
        ->check(CLI::Range(1, 86400));
    command.add_flag("--overcommit", options.overcommit, "Start even if memory might not suffice");
}

}  // namespace ntblab::lab
