// SPDX-License-Identifier: MIT
// What ntblab exits with; lab/README.md tells users.
#pragma once

namespace ntblab::lab {

enum ExitCode : int {
    kOk = 0,
    kFailure = 1,
    kUsage = 2,
    kNotFound = 3,       ///< No such cluster or node.
    kBusy = 4,           ///< The cluster is already up, or someone else is at it.
    kUnreachable = 125,  ///< exec, run, ssh: the command could not be run, or the connection broke.
    kSignalBase = 128,   ///< 128 + n: ended by signal n.
};

}  // namespace ntblab::lab
