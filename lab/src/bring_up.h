// SPDX-License-Identifier: MIT
// From a topology file to a cluster whose nodes are ready; or to nothing at all, and the reason on standard
// error.
//
//     auto plan = make_plan({.file = "topologies/pair.yaml"});
//     auto cluster = bring_up(io, interrupts, *plan, options);
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>

#include "exit_code.h"
#include "interrupts.h"
#include "plan.h"

namespace ntblab::lab {

struct UpOptions {
    std::string file;
    std::string name = {};  ///< "": as the file says.
    std::string accelerator = "auto";
    std::chrono::seconds timeout{180};
    bool overcommit = false;
    std::string share = {};        ///< "": as the file says.
    std::string kernel = {};       ///< Likewise: stock, debug, or a directory.
    std::string guest_suite = {};  ///< Likewise: a Debian release.
    bool gdb = false;
};

struct UpResult {
    int exit_code = kFailure;  ///< kOk: everything is ready.
    ClusterState state = {};
    double seconds = 0;
};

/// Reads the file, settles name, directory and accelerator. Warnings go to standard error. Touches nothing.
Result<Plan> make_plan(const UpOptions& options);

/// Whatever goes wrong, and whenever a signal comes, nothing of the cluster remains; the logs of a failure
/// are kept where the message says.
UpResult bring_up(boost::asio::io_context& io, const Interrupts& interrupts, const Plan& plan,
                  const UpOptions& options);

}  // namespace ntblab::lab
