// SPDX-License-Identifier: MIT
#include "explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "job_options.h"
#include "trace_options.h"
#include "waterfall.h"

namespace ntblab::sim {
namespace {

struct Options {
    std::string waterfall;
    bool json = false;
    std::shared_ptr<TraceOptions> traces;
    Outputs outputs;
};

double nanoseconds(pcie::Picoseconds time) {
    return static_cast<double>(time) / 1000;
}

void print_table(const Account& account, const std::string& title) {
    const pcie::Picoseconds total = account.end - account.begin;
    fmt::print("{}: {:.3f} ns\n\n", title, nanoseconds(total));
    fmt::print("{:>12} {:>12} {:>6}  {:<19} {:<20} {}\n", "from (ns)", "for (ns)", "share", "TLP", "part",
               "where");
    for (const Step& step : summary(account)) {
        const pcie::Picoseconds span = step.end - step.begin;
        fmt::print("{:>12.3f} {:>12.3f} {:>5.1f}%  {:<19} {:<20} {}{}\n",
                   nanoseconds(step.begin - account.begin), nanoseconds(span),
                   100.0 * static_cast<double>(span) / static_cast<double>(total), step.tlp, step.part,
                   step.where, step.times > 1 ? fmt::format(" ({} times)", step.times) : "");
    }
}

void print_json(const Account& account, nlohmann::ordered_json all) {
    all["picoseconds"] = account.end - account.begin;
    all["steps"] = nlohmann::ordered_json::array();
    for (const Step& step : account.steps)
        all["steps"].push_back({{"tlp", step.tlp},
                                {"part", step.part},
                                {"where", step.where},
                                {"begin_ps", step.begin - account.begin},
                                {"end_ps", step.end - account.begin}});
    fmt::print("{}\n", all.dump(1));
}

int explain(const JobRequest& request, const Options& options) {
    const auto job = load_job(request);
    if (!job) return complain(job.error().message, kUsage);
    if (job->sizes().size() != 1)
        return complain("one transfer is explained: give its bytes, such as --sizes 4096", kUsage);
    for (const auto& fine :
         {check_trace_options(*options.traces), options.outputs.check(inputs_of(request, *job))})
        if (!fine) return complain(fine.error().message, kUsage);
    print_notes(job->notes);
    const std::uint64_t size = job->sizes().front();
    const Flow flow = job->flows.empty() ? Flow{} : job->flows.front();
    const auto account = explain(job->hardware, job->workload, flow, size, *options.traces);
    if (!account) return complain(account.error().message, kFailure);
    const auto& nodes = job->hardware.topology.nodes;
    const std::string title =
        fmt::format("{}, {} bytes, {} to {}, {}", job->workload.name, size, nodes[flow.from].name,
                    nodes[flow.to].name, job->hardware.profile.name);
    if (options.json)
        print_json(*account, {{"conditions", job->conditions},
                              {"from", nodes[flow.from].name},
                              {"to", nodes[flow.to].name},
                              {"bytes", size}});
    else
        print_table(*account, title);
    if (!options.waterfall.empty())
        if (const auto drawn = draw_waterfall(*account, title, options.waterfall); !drawn)
            return complain(drawn.error().message, kFailure);
    return report_violations(account->violations);
}

}  // namespace

void add_explain(CLI::App& app, CommandLine& line) {
    auto* command = app.add_subcommand("explain", "Say where one transfer's nanoseconds go");
    const auto request = add_job_options(*command, JobKind::transfer);
    const auto options = std::make_shared<Options>();
    options->outputs.add(*command, "--waterfall", OutputKind::picture, "Picture of the table, SVG or PNG",
                         [options](const std::string& path) { options->waterfall = path; });
    command->add_flag("--json", options->json, "Print JSON, with all steps in their order");
    options->traces = add_trace_options(*command, options->outputs);
    command->callback(
        [&line, request, options] { line.run = [request, options] { return explain(*request, *options); }; });
}

}  // namespace ntblab::sim
