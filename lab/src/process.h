// SPDX-License-Identifier: MIT
// Starting processes, and knowing them again: a pid alone may mean another process a moment later.
//
//     auto child = spawn({.arguments = {"ssh-keygen", "-q"}});
//     int status = child->wait();
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ntblab::lab {

/// A process for the life of the machine: pid and start time (field 22 of /proc/PID/stat, in clock ticks).
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t start = 0;
    bool operator==(const ProcessId&) const = default;
};

/// Who runs as `pid` now; {0, 0} if nobody does. A zombie is nobody.
ProcessId identify(pid_t pid);
bool is_alive(const ProcessId& process);
/// Readable when the process has ended; empty if it already has.
UniqueFd open_pidfd(const ProcessId& process);

void send_signal(int pidfd, int number);

/// SIGTERM to all, SIGKILL to those that are there after `grace`. Returns when all are gone.
/// @return those that even SIGKILL did not end within ten seconds.
std::vector<ProcessId> end_processes(const std::vector<ProcessId>& processes,
                                     std::chrono::milliseconds grace);

/// Exit code of a wait status as shells have it: 128 + n for signal n.
int exit_code_of(int wait_status);

class Child {
  public:
    Child(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)), id_(identify(pid)) {}

    pid_t pid() const { return pid_; }
    int pidfd() const { return pidfd_.get(); }
    /// As of its start.
    const ProcessId& id() const { return id_; }
    void signal(int number) const;
    /// Blocks until it has ended. @return its wait status.
    int wait();

  private:
    pid_t pid_;
    UniqueFd pidfd_;
    ProcessId id_;
};

struct SpawnOptions {
    std::vector<std::string> arguments;         ///< The first is the program, looked up in PATH.
    std::vector<std::string> environment = {};  ///< NAME=VALUE, over this process's own.
    int input = -1;                             ///< -1: /dev/null.
    int output = -1;                            ///< -1: /dev/null; likewise `error`.
    int error = -1;
    int passed = -1;           ///< Becomes descriptor 3.
    bool new_session = false;  ///< Out of reach of the terminal's signals; its files are private.
};

/// Descriptors of this process must be close-on-exec; they stay open until the new program runs, so that a
/// lock held here covers the child until its environment can be seen. Errors: program not found or not
/// executable, no memory.
Result<Child> spawn(const SpawnOptions& options);

/// Opens a file for a child's output, appending.
Result<UniqueFd> open_log(const std::string& path);

}  // namespace ntblab::lab
