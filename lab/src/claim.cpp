// SPDX-License-Identifier: MIT
#include "claim.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "strays.h"
#include "teardown.h"
#include "text.h"

namespace ntblab::lab {
namespace {

/// A starter that is told to stop takes its cluster down itself; this is more than it needs for that.
constexpr std::chrono::seconds kStopGrace{20};

std::string refusal(const ClusterPaths& paths, bool locked) {
    const auto state = load_state(paths);
    const std::string name = paths.name();
    const std::string ways =
        fmt::format("`ntblab down {}` ends it, `--name OTHER` starts another beside it", name);
    if (state && is_alive(state->holder))
        return fmt::format("cluster '{}' is in use: process {} is at '{}'; wait for it, or {}", name,
                           state->holder.pid, state->activity, ways);
    if (locked)
        return fmt::format("cluster '{}' is in use by another ntblab; wait for it, or {}", name, ways);
    if (state && state->ready) return fmt::format("cluster '{}' is already up; {}", name, ways);
    return fmt::format("cluster '{}' was left half started; `ntblab down {}` removes what remains", name,
                       name);
}

}  // namespace

Result<DirectoryLock> claim_new(const ClusterPaths& paths) {
    for (;;) {
        const bool made = ::mkdir(paths.dir.c_str(), 0700) == 0;
        if (!made && errno != EEXIST) return fail(errno_message("cannot make " + paths.dir.string()));
        auto lock = DirectoryLock::try_lock(paths.dir);
        if (!lock) {
            if (::access(paths.dir.c_str(), F_OK) != 0) continue;  // taken down just now
            return fail(refusal(paths, true));
        }
        if (marked_processes().contains(paths.dir.string())) return fail(refusal(paths, false));
        if (made) return std::move(*lock);
        // Files without a process: nothing that anyone could still use.
        if (auto destroyed = destroy_cluster(paths); !destroyed) return tl::unexpected(destroyed.error());
    }
}

Result<DirectoryLock> claim_existing(const ClusterPaths& paths) {
    auto lock = DirectoryLock::lock(paths.dir);
    if (!lock)
        return fail(
            fmt::format("there is no cluster '{}'; `ntblab ls` shows those that there are", paths.name()));
    return std::move(*lock);
}

std::optional<DirectoryLock> claim_to_end(const ClusterPaths& paths) {
    if (auto lock = DirectoryLock::try_lock(paths.dir)) return lock;
    const auto state = load_state(paths);
    if (state && state->activity != "down") end_processes({state->holder}, kStopGrace);
    return DirectoryLock::lock(paths.dir);
}

void take_hold(ClusterState& state, const std::string& activity) {
    state.holder = identify(::getpid());
    state.activity = activity;
}

void release_hold(ClusterState& state) {
    state.holder = {};
    state.activity.clear();
}

}  // namespace ntblab::lab
