// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

#include "commands.h"
#include "files.h"
#include "job_options.h"
#include "outputs.h"
#include "plot.h"
#include "progress.h"
#include "results.h"
#include "slurm.h"
#include "workers.h"

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string file, folder;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    std::string part;  ///< "I/N"
    bool slurm = false;
    unsigned slurm_tasks = 16;
    std::vector<std::string> sbatch;
    Outputs outputs;
};

/// Of which tasks this is to do those that are I modulo N.
struct Part {
    std::size_t index = 0, count = 1;
};

Result<Part> parse_part(const std::string& text) {
    Part part;
    if (text.empty()) return part;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, part.index);
    const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
    const auto second = slash ? std::from_chars(first.ptr + 1, end, part.count) : first;
    if (!slash || second.ec != std::errc() || second.ptr != end || part.index >= part.count)
        return fail(fmt::format("--part is '{}'; expected I/N, with I from 0 to N - 1", text));
    return part;
}

int write_merged(const fs::path& folder) {
    const auto results = merge(folder);
    if (!results) return complain(results.error().message, kFailure);
    for (const auto& [name, text] : {std::pair{"results.json", results->dump(1) + "\n"},
                                     std::pair{"results.csv", results_csv((*results)["runs"])}})
        if (const auto done = write_file(folder / name, text); !done)
            return complain(done.error().message, kFailure);
    std::size_t violations = 0;
    for (const auto& run : (*results)["runs"])
        for (const auto& point : run["points"]) violations += point["violations"].size();
    fmt::print("{}\n{}\n", (folder / "results.json").string(), (folder / "results.csv").string());
    if (violations > 0)
        return complain(fmt::format("the protocol was violated {} times; results.json says how", violations),
                        kFailure);
    return kOk;
}

int sweep(const Options& options) {
    const auto part = parse_part(options.part);
    if (!part) return complain(part.error().message, kUsage);
    const auto sweep = load_sweep(options.file);
    if (!sweep) return complain(sweep.error().message, kUsage);
    print_notes(sweep->notes);
    if (const auto ready = prepare_folder(*sweep, options.folder); !ready)
        return complain(ready.error().message, kFailure);
    if (options.slurm) {
        const auto parts =
            static_cast<unsigned>(std::min<std::size_t>(options.slurm_tasks, sweep->tasks.size()));
        if (const auto done = run_in_slurm(options.file, options.folder, parts, options.sbatch); !done)
            return complain(done.error().message, kFailure);
        return write_merged(options.folder);
    }
    std::vector<std::size_t> tasks;
    for (std::size_t task = part->index; task < sweep->tasks.size(); task += part->count)
        if (!is_done(*sweep, task, options.folder)) tasks.push_back(task);
    Result<void> done;
    {
        Progress progress("ntb-sim sweep");
        std::size_t ended = 0;
        done = in_processes(
            tasks, options.jobs, [&](std::size_t task) { return do_task(*sweep, task, options.folder); },
            [&] {
                ++ended;
                progress.show(static_cast<double>(ended) / static_cast<double>(tasks.size()),
                              fmt::format("{} of {} tasks", ended, tasks.size()));
            });
    }
    if (!done) return complain(done.error().message, kFailure);
    return options.part.empty() ? write_merged(options.folder) : kOk;
}

}  // namespace

void add_sweep(CLI::App& app, CommandLine& line) {
    auto* command =
        app.add_subcommand("sweep", "Simulate all combinations that a file names, in several processes");
    const auto options = std::make_shared<Options>();
    command->add_option("FILE", options->file, "A sweep: topologies, workloads, profiles, parameters, seeds")
        ->required();
    options->outputs
        .add(*command, "-o,--output", OutputKind::folder,
             "Folder for results; what it has of them is not done again",
             [options](const std::string& path) { options->folder = path; })
        ->required();
    auto* jobs = command->add_option("-j,--jobs", options->jobs, "Processes at the same time")
                     ->transform(whole_number(1, 4096))
                     ->capture_default_str();
    auto* part =
        command->add_option("--part", options->part, "I/N: only every Nth task, from the Ith on; no merge");
    auto* slurm = command->add_flag("--slurm", options->slurm, "As an array job of Slurm, and wait for it");
    slurm->excludes(part)->excludes(jobs);
    command->add_option("--slurm-tasks", options->slurm_tasks, "Elements of the array")
        ->transform(whole_number(1, 100'000))
        ->capture_default_str()
        ->needs(slurm);
    command
        ->add_option("--sbatch", options->sbatch, "An option for sbatch, such as --sbatch=--partition=long")
        ->allow_extra_args(false)
        ->needs(slurm);
    command->callback([&line, options] { line.run = [options] { return sweep(*options); }; });
}

void add_merge(CLI::App& app, CommandLine& line) {
    auto* command = app.add_subcommand("merge", "Put the results of a sweep's parts together");
    const auto folder = std::make_shared<std::string>();
    command->add_option("FOLDER", *folder, "That the parts had as --output")->required();
    command->callback([&line, folder] { line.run = [folder] { return write_merged(*folder); }; });
}

}  // namespace ntblab::sim
