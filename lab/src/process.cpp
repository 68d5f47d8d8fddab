// SPDX-License-Identifier: MIT
#include "process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>

#include "files.h"
#include "text.h"

extern char** environ;

namespace ntblab::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kKillLimit{10};

UniqueFd pidfd_open(pid_t pid) {
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// Removes what ends until `deadline`.
void wait_for_ends(std::vector<std::pair<ProcessId, UniqueFd>>& running, Clock::time_point deadline) {
    while (!running.empty()) {
        std::vector<pollfd> polled;
        polled.reserve(running.size());
        for (const auto& entry : running) polled.push_back({entry.second.get(), POLLIN, 0});
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return;
        if (::poll(polled.data(), polled.size(), static_cast<int>(left)) < 0) continue;
        for (std::size_t i = polled.size(); i-- > 0;) {
            if (polled[i].revents == 0) continue;
            ::waitpid(running[i].first.pid, nullptr, WNOHANG);  // succeeds for children only
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
    std::map<std::string, std::string> merged;
    const auto add = [&](const std::string& entry) { merged[entry.substr(0, entry.find('='))] = entry; };
    for (char** entry = environ; *entry != nullptr; ++entry) add(*entry);
    for (const std::string& entry : additions) add(entry);
    std::vector<std::string> result;
    result.reserve(merged.size());
    for (auto& [name, entry] : merged) result.push_back(std::move(entry));
    return result;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> result;
    result.reserve(words.size() + 1);
    for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
    result.push_back(nullptr);
    return result;
}

}  // namespace

ProcessId identify(pid_t pid) {
    const std::string stat = read_if_there(fmt::format("/proc/{}/stat", pid));
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) return {};
    const auto fields = split(std::string_view(stat).substr(name_end + 1), ' ');
    constexpr std::size_t state = 0;
    constexpr std::size_t start_time = 19;
    if (fields.size() <= start_time || fields[state] == "Z" || fields[state] == "X") return {};
    return {pid, std::stoull(fields[start_time])};
}

void send_signal(int pidfd, int number) {
    ::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0);
}

bool is_alive(const ProcessId& process) {
    return process.pid > 0 && identify(process.pid) == process;
}

UniqueFd open_pidfd(const ProcessId& process) {
    UniqueFd result = pidfd_open(process.pid);
    if (result && !is_alive(process)) result.reset();
    return result;
}

std::vector<ProcessId> end_processes(const std::vector<ProcessId>& processes,
                                     std::chrono::milliseconds grace) {
    std::vector<std::pair<ProcessId, UniqueFd>> running;
    for (const ProcessId& process : processes)
        if (UniqueFd pidfd = open_pidfd(process)) running.emplace_back(process, std::move(pidfd));
    for (const auto& entry : running) {
        send_signal(entry.second.get(), SIGTERM);
        send_signal(entry.second.get(), SIGCONT);
    }
    wait_for_ends(running, Clock::now() + grace);
    for (const auto& entry : running) send_signal(entry.second.get(), SIGKILL);
    wait_for_ends(running, Clock::now() + kKillLimit);
    std::vector<ProcessId> left;
    left.reserve(running.size());
    for (const auto& entry : running) left.push_back(entry.first);
    return left;
}

int exit_code_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void Child::signal(int number) const {
    send_signal(pidfd_.get(), number);
}

int Child::wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0) {
        if (errno != EINTR) return 0;
    }
    return status;
}

Result<Child> spawn(const SpawnOptions& options) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::unique_ptr<posix_spawn_file_actions_t, int (*)(posix_spawn_file_actions_t*)> actions_guard(
        &actions, posix_spawn_file_actions_destroy);
    const int streams[] = {options.input, options.output, options.error};
    for (int stream = 0; stream < 3; ++stream) {
        if (streams[stream] < 0)
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY,
                                             0);
        else
            posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
    }
    if (options.passed >= 0) posix_spawn_file_actions_adddup2(&actions, options.passed, 3);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    const std::unique_ptr<posix_spawnattr_t, int (*)(posix_spawnattr_t*)> attributes_guard(
        &attributes, posix_spawnattr_destroy);
    sigset_t all;
    sigset_t none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    if (options.new_session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));

    const auto environment = merged_environment(options.environment);
    pid_t pid = 0;
    // What goes on when we have ended makes sockets and logs, which are nobody else's.
    const mode_t mask = options.new_session ? ::umask(0077) : 0;
    const int error = ::posix_spawnp(&pid, options.arguments[0].c_str(), &actions, &attributes,
                                     pointers(options.arguments).data(), pointers(environment).data());
    if (options.new_session) ::umask(mask);
    if (error != 0)
        return fail(fmt::format("cannot start {}: {}", options.arguments[0], std::strerror(error)));
    return Child(pid, pidfd_open(pid));
}

Result<UniqueFd> open_log(const std::string& path) {
    UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return fail(errno_message("cannot write " + path));
    return file;
}

}  // namespace ntblab::lab
