// SPDX-License-Identifier: MIT
#include "workers.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <set>
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

class Workers {
  public:
    Workers(const std::vector<std::size_t>& tasks, const std::function<Result<void>(std::size_t)>& work,
            const std::function<void()>& ended)
        : waiting_(tasks.begin(), tasks.end()), work_(work), ended_(ended) {}

    Result<void> run(unsigned processes) {
        std::fflush(nullptr);  // else a child would write what is in our buffers once more
        while (!running_.empty() || may_begin()) {
            if (running_.size() < processes && may_begin()) {
                if (begin()) continue;
                if (running_.empty())
                    return fail(
                        fmt::format("no process can be made: {}", std::generic_category().message(errno)));
            }
            int status = 0;
            const pid_t child = ::waitpid(-1, &status, 0);
            if (child > 0)
                end(child, status);
            else if (errno != EINTR)
                break;
        }
        if (!failure_.empty()) return fail(failure_);
        return {};
    }

  private:
    bool may_begin() const { return !waiting_.empty() && failure_.empty(); }

    bool begin() {
        const pid_t child = ::fork();
        if (child == 0) work_here(self_, waiting_.front(), work_);
        if (child < 0) return false;
        running_.emplace(child, waiting_.front());
        waiting_.pop_front();
        return true;
    }

    void end(pid_t child, int status) {
        const auto found = running_.find(child);
        if (found == running_.end()) return;
        const std::size_t task = found->second;
        running_.erase(found);
        if (WIFSIGNALED(status))
            lose(task, WTERMSIG(status));
        else if (WEXITSTATUS(status) == 0)
            ended_();
        else if (failure_.empty())
            failure_ = fmt::format("task {} has failed; why is above", task);
    }

    void lose(std::size_t task, int signal) {
        const std::string what =
            fmt::format("task {} was ended by signal {} ({})", task, signal, ::strsignal(signal));
        if (lost_.insert(task).second) {
            fmt::print(stderr, "ntb-sim: {}; it is done once more\n", what);
            waiting_.push_back(task);
        } else if (failure_.empty()) {
            failure_ = what + ", the second time";
        }
    }

    const pid_t self_ = ::getpid();
    std::deque<std::size_t> waiting_;
    std::map<pid_t, std::size_t> running_;
    std::set<std::size_t> lost_;
    std::string failure_;
    const std::function<Result<void>(std::size_t)>& work_;
    const std::function<void()>& ended_;
};

}  // namespace

Result<void> in_processes(const std::vector<std::size_t>& tasks, unsigned processes,
                          const std::function<Result<void>(std::size_t)>& work,
                          const std::function<void()>& ended) {
    return Workers(tasks, work, ended).run(processes);
}

}  // namespace ntblab::sim
