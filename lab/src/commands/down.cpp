// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "claim.h"
#include "commands.h"
#include "exit_code.h"
#include "strays.h"
#include "teardown.h"

namespace ntblab::lab {
namespace {

/// @return an exit code.
int take_down(const ClusterPaths& paths) {
    const auto lock = claim_to_end(paths);
    if (!lock) {
        // Its directory is gone, but processes may have outlived it.
        const auto destroyed = destroy_cluster(paths);
        return destroyed ? kOk : complain(destroyed.error().message, kFailure);
    }
    if (auto state = load_state(paths)) {
        take_hold(*state, "down");
        (void)save_state(paths, *state);  // for messages of others only; on a full disk, down must still work
    }
    const auto destroyed = destroy_cluster(paths);
    if (!destroyed) return complain(destroyed.error().message, kFailure);
    fmt::print(stderr, "{} is down\n", paths.name());
    return kOk;
}

/// Of this run directory: those with a directory, and those of which only processes are left.
std::set<std::string> all_clusters(const std::filesystem::path& base) {
    std::set<std::string> result;
    for (const std::string& name : cluster_names(base)) result.insert(name);
    for (const auto& [mark, processes] : marked_processes()) {
        const std::filesystem::path dir(mark);
        if (dir.parent_path() == base) result.insert(dir.filename());
    }
    return result;
}

int down_all() {
    const auto base = run_base();
    int code = kOk;
    for (const std::string& name : all_clusters(base))
        if (const int result = take_down({base / name}); result != kOk) code = result;
    remove_empty_run_base();
    return code;
}

int down(const std::string& name) {
    const auto base = run_base();
    const auto known = all_clusters(base);
    std::string chosen = name;
    if (chosen.empty()) {
        if (known.empty()) return complain("no cluster is up", kNotFound);
        if (known.size() > 1) return complain("several clusters are up; name one, or use --all", kNotFound);
        chosen = *known.begin();
    }
    if (!known.contains(chosen)) return complain(fmt::format("there is no cluster '{}'", chosen), kNotFound);
    const int code = take_down({base / chosen});
    remove_empty_run_base();
    return code;
}

}  // namespace

void add_down(CLI::App& app, CommandLine& line) {
    static std::string name;
    static bool all = false;
    CLI::App* command =
        app.add_subcommand("down", "End a cluster and remove everything of it, also of one half started");
    auto* named = command->add_option("NAME", name, "The cluster; may be left out if there is one");
    command->add_flag("--all", all, "Every cluster of this run directory")->excludes(named);
    command->callback([&line] {
        line.run = [] {
            if (const auto readable = check_run_base(); !readable)
                return complain(readable.error().message, kFailure);
            return all ? down_all() : down(name);
        };
    });
}

}  // namespace ntblab::lab
