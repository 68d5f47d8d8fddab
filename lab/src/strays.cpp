// SPDX-License-Identifier: MIT
#include "strays.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
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

std::string mark_of(const fs::path& process) {
    const std::string prefix = fmt::format("{}=", kClusterMark);
    for (const std::string& entry : split(read_if_there(process / "environ"), '\0'))
        if (entry.starts_with(prefix)) return entry.substr(prefix.size());
    return "";
}

}  // namespace

std::map<std::string, std::vector<ProcessId>> marked_processes() {
    std::map<std::string, std::vector<ProcessId>> result;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        pid_t pid = 0;
        const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (failure != std::errc{} || end != name.data() + name.size() || pid == ::getpid()) continue;
        // Known before its environment is read, so that another process under the same pid is not taken for
        // it.
        const ProcessId process = identify(pid);
        if (process.pid == 0) continue;
        const std::string mark = mark_of(entry.path());
        if (!mark.empty() && is_alive(process)) result[mark].push_back(process);
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
