// SPDX-License-Identifier: MIT
// Many runs, as data: all combinations of topologies, workloads, profiles, parameters and seeds. Each size of
// each run is a task, whose result is a file of its own, so that tasks can be done anywhere and in any order.
//
//     auto sweep = load_sweep("mps.yaml");
//     for (std::size_t task = 0; task < sweep->tasks.size(); ++task) do_task(*sweep, task, "results");
//     auto results = merge("results");
#pragma once

#include <memory>

#include "job.h"

namespace ntblab::sim {

/// Of one run, one size.
struct Task {
    std::size_t run = 0;
    std::uint64_t size = 0;
};

struct Sweep {
    std::vector<JobRequest> runs;
    std::vector<Task> tasks;          ///< By run, then by size.
    std::string text;                 ///< Of the file, and of all that it names: what results are of.
    std::vector<std::string> notes;   ///< Of runs, each once.
    std::shared_ptr<JobFiles> files;  ///< What runs name.
};

/// Reads a sweep and everything that it names, and checks each combination of topology, workload and profile,
/// and each profile's of parameters. Paths in it are relative to its folder. Errors: file:line:column with
/// what was found and what was expected.
Result<Sweep> load_sweep(const std::filesystem::path& path);

/// Makes a folder for results, or takes one that has some of the same sweep. Errors: results of another one.
Result<void> prepare_folder(const Sweep& sweep, const std::filesystem::path& folder);

/// Whether a task's result is there, and whole.
bool is_done(const Sweep& sweep, std::size_t task, const std::filesystem::path& folder);

/// Simulates, and writes the result. Errors: it cannot be written.
Result<void> do_task(const Sweep& sweep, std::size_t task, const std::filesystem::path& folder);

/// All results of a folder, as one: {"runs": [{"conditions", "points"}, ...]}. Errors: no results; some are
/// missing, or damaged.
Result<nlohmann::ordered_json> merge(const std::filesystem::path& folder);

}  // namespace ntblab::sim
