// SPDX-License-Identifier: MIT
// The processes that init starts.
//
//     pid_t sshd = start({"/usr/sbin/sshd", "-D"}, {.environment = {"NOTIFY_SOCKET=/run/notify"}});
//     while (auto exited = reap()) if (exited->pid == sshd) ...
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ntblab::guest {

struct StartOptions {
    std::string terminal = {};                  // becomes its controlling terminal and standard streams
    std::string output = {};                    // else: a file its output is appended to
    std::vector<std::string> environment = {};  // in addition to init's own
};

/// Starts a program in a session of its own. @return its pid, or -1 with errno set.
pid_t start(const std::vector<std::string>& command, const StartOptions& options);

struct Exited {
    pid_t pid;
    bool succeeded;
};

/// A child that has ended, whoever's it was (init inherits orphans); nothing when there is none.
std::optional<Exited> reap();

}  // namespace ntblab::guest
