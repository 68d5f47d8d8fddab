// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "job_options.h"
#include "files.h"
#include "plot.h"
#include "progress.h"
#include "results.h"

namespace ntblab::sim {
namespace {

struct Outputs {
    std::string json, csv, plot;
};

int run(const JobRequest& request, const Outputs& outputs) {
    const auto job = load_job(request);
    if (!job) return complain(job.error().message, kUsage);
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    std::vector<std::string> violations;
    {
        const std::vector<std::uint64_t> sizes = job->sizes();
        Progress progress("ntb-sim run");
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            Hooks hooks;
            hooks.progress = [&](double part) {
                progress.update((static_cast<double>(i) + part) / static_cast<double>(sizes.size()));
            };
            const Outcome outcome = run_point(*job, sizes[i], hooks);
            points.push_back(outcome_json(outcome, job->hardware.topology));
            violations.insert(violations.end(), outcome.violations.begin(), outcome.violations.end());
        }
    }
    const nlohmann::ordered_json results = {
        {"runs", {{{"conditions", job->conditions}, {"points", std::move(points)}}}}};
    const auto& only = results["runs"][0];
    if (outputs.json != "-" && outputs.csv != "-") fmt::print("{}", results_table(only));
    if (!outputs.json.empty())
        if (const auto done = write_file(outputs.json, results.dump(1) + "\n"); !done)
            return complain(done.error().message, kFailure);
    if (!outputs.csv.empty())
        if (const auto done = write_file(outputs.csv, results_csv(results["runs"])); !done)
            return complain(done.error().message, kFailure);
    if (!outputs.plot.empty())
        if (const auto done = plot_runs(results["runs"], outputs.plot); !done)
            return complain(done.error().message, kFailure);
    if (!violations.empty())
        return complain(fmt::format("the protocol was violated:\n{}", fmt::join(violations, "\n")), kFailure);
    return kOk;
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
    auto* command =
        app.add_subcommand("run", "Simulate a workload on a topology, a transfer size after the other");
    const auto request = add_job_options(*command);
    const auto outputs = std::make_shared<Outputs>();
    command->add_option("--json", outputs->json,
                        "Write results and statistics to this file; - is standard output");
    command->add_option("--csv", outputs->csv, "Write results as a table; - is standard output");
    command->add_option("--plot", outputs->plot, "Draw latency and rate: a file that ends in .svg or .png");
    command->callback(
        [&line, request, outputs] { line.run = [request, outputs] { return run(*request, *outputs); }; });
}

}  // namespace ntblab::sim
