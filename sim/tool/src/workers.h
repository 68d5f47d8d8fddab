// SPDX-License-Identifier: MIT
// Tasks in processes of their own, some at a time: SystemC has one simulation in a process.
#pragma once

#include <ntblab/result.h>

#include <functional>
#include <vector>

namespace ntblab::sim {

/// Calls `work(task)` for each of `tasks` in a process made for it, at most `processes` at a time, and
/// `ended` here after each. Processes end with this one. A task whose process a signal ends (memory ran out,
/// somebody killed it) is told at once on standard error, and done once more after the others. Errors: of the
/// first task that fails, or is ended so again, after those under way have ended; no process can be made.
Result<void> in_processes(const std::vector<std::size_t>& tasks, unsigned processes,
                          const std::function<Result<void>(std::size_t)>& work,
                          const std::function<void()>& ended);

}  // namespace ntblab::sim
