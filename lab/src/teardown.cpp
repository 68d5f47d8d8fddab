// SPDX-License-Identifier: MIT
#include "teardown.h"

#include <fmt/format.h>

#include <filesystem>

#include "strays.h"

namespace ntblab::lab {

Result<void> destroy_cluster(const ClusterPaths& paths) {
    const auto left = end_cluster_processes(paths.dir);
    if (!left.empty()) {
        std::string pids;
        for (const ProcessId& process : left) pids += fmt::format(" {}", process.pid);
        return fail(fmt::format(
            "cluster '{}': these processes do not end even by SIGKILL:{}; look at them with ps, then run "
            "`ntblab down {}` again",
            paths.name(), pids, paths.name()));
    }
    std::error_code error;
    std::filesystem::remove_all(paths.dir, error);
    if (error)
        return fail(
            fmt::format("cannot remove {}: {}; remove it by hand", paths.dir.string(), error.message()));
    return {};
}

}  // namespace ntblab::lab
