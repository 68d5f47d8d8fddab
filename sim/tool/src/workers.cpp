// SPDX-License-Identifier: MIT
#include "workers.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

namespace ntblab::sim {
namespace {

[[noreturn]] void work_here(pid_t parent, std::size_t task,
                            const std::function<Result<void>(std::size_t)>& work) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    int code = 1;
    try {
        const auto done = work(task);
        if (done)
            code = 0;
        else
            fmt::print(stderr, "ntb-sim: task {}: {}\n", task, done.error().message);
    } catch (const std::exception& error) {
        fmt::print(stderr, "ntb-sim: task {}: internal error: {}\n", task, error.what());
    }
    std::fflush(nullptr);
    ::_exit(code);
}

}  // namespace

Result<void> in_processes(const std::vector<std::size_t>& tasks, unsigned processes,
                          const std::function<Result<void>(std::size_t)>& work,
                          const std::function<void()>& ended) {
    const pid_t self = ::getpid();
    std::fflush(nullptr);  // else a child would write what is in our buffers once more
    std::size_t next = 0, running = 0;
    std::string failure;
    while (running > 0 || (next < tasks.size() && failure.empty())) {
        if (running < processes && next < tasks.size() && failure.empty()) {
            const pid_t child = ::fork();
            if (child == 0) work_here(self, tasks[next], work);
            if (child > 0) {
                ++running;
                ++next;
                continue;
            }
            if (running == 0)
                return fail(
                    fmt::format("no process can be made: {}", std::generic_category().message(errno)));
        }
        int status = 0;
        if (::waitpid(-1, &status, 0) < 0) {
            if (errno == EINTR) continue;
            break;
        }
        --running;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            ended();
        else if (failure.empty())
            failure = WIFSIGNALED(status) ? fmt::format("a task was ended by signal {}", WTERMSIG(status))
                                          : "a task has failed; why is above";
    }
    if (!failure.empty()) return fail(failure);
    return {};
}

}  // namespace ntblab::sim
