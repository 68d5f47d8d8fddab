// SPDX-License-Identifier: MIT
#include "strays.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <thread>

#include "cluster_paths.h"
#include "files.h"
#include "text.h"

namespace ntblab::lab {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kGrace{3000};
/// A process that is just becoming another program has no environment for a moment.
constexpr std::chrono::milliseconds kExecPause{20};
constexpr int kCleanScans = 2;

/// The mark of a process, "" if it has none; nullopt in the moment of an exec, when a program has no
/// environment yet.
std::optional<std::string> mark_of(pid_t pid) {
    const fs::path process = fs::path("/proc") / std::to_string(pid);
    const std::string environment = read_if_there(process / "environ");
    std::error_code error;
    if (environment.empty() && !fs::read_symlink(process / "exe", error).empty()) return std::nullopt;
    const std::string prefix = fmt::format("{}=", kClusterMark);
    for (const std::string& entry : split(environment, '\0'))
        if (entry.starts_with(prefix)) return entry.substr(prefix.size());
    return "";
}

std::vector<ProcessId> all_processes() {
    std::vector<ProcessId> result;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        pid_t pid = 0;
        const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (failure != std::errc{} || end != name.data() + name.size() || pid == ::getpid()) continue;
        if (const ProcessId process = identify(pid); process.pid != 0) result.push_back(process);
    }
    return result;
}

}  // namespace

std::map<std::string, std::vector<ProcessId>> marked_processes() {
    std::map<std::string, std::vector<ProcessId>> result;
    // Returns those that have to be looked at again. That a process is still alive after its environment was
    // read says that it was not another one under the same pid.
    const auto look_at = [&result](const std::vector<ProcessId>& processes) {
        std::vector<ProcessId> again;
        for (const ProcessId& process : processes) {
            const auto mark = mark_of(process.pid);
            if (!is_alive(process)) continue;
            if (!mark)
                again.push_back(process);
            else if (!mark->empty())
                result[*mark].push_back(process);
        }
        return again;
    };
    if (const auto again = look_at(all_processes()); !again.empty()) {
        std::this_thread::sleep_for(kExecPause);
        look_at(again);
    }
    return result;
}

std::vector<ProcessId> end_cluster_processes(const fs::path& cluster) {
    for (int clean = 0; clean < kCleanScans;) {
        auto marked = marked_processes();
        const auto found = marked.find(cluster.string());
        if (found == marked.end()) {
            if (++clean < kCleanScans) std::this_thread::sleep_for(kExecPause);
            continue;
        }
        clean = 0;
        auto left = end_processes(found->second, kGrace);
        if (!left.empty()) return left;
    }
    return {};
}

}  // namespace ntblab::lab
