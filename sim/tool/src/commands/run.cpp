// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "commands.h"
#include "files.h"
#include "job_options.h"
#include "plot.h"
#include "progress.h"
#include "request_recorder.h"
#include "results.h"
#include "trace_options.h"

namespace ntblab::sim {
namespace {

struct Options {
    std::string json, csv, plot, record;
    std::shared_ptr<TraceOptions> traces;
    Outputs outputs;

    bool watch() const { return traces->any() || !record.empty(); }
};

/// Who watches one simulation, for the files that are wanted of it.
class Watch {
  public:
    Watch(const Job& job, const Options& options) : job_(job), options_(options) {}

    bool begin(pcie::System& system) {
        auto traces = Traces::create(*options_.traces, system);
        if (!traces) {
            result_ = tl::unexpected(traces.error());
            return false;
        }
        traces_ = std::move(*traces);
        if (options_.record.empty()) return true;
        recorder_ = std::make_unique<RequestRecorder>(system);
        traces_->observers().add(*recorder_);
        system.observe(&traces_->observers());
        return true;
    }

    bool end() {
        if (traces_) result_ = traces_->finish();
        if (result_ && recorder_)
            result_ = write_file(options_.record, trace_text(recorder_->requests(), job_.hardware.topology));
        traces_.reset();
        return result_.has_value();
    }

    const Result<void>& result() const { return result_; }

  private:
    const Job& job_;
    const Options& options_;
    std::unique_ptr<Traces> traces_;
    std::unique_ptr<RequestRecorder> recorder_;
    Result<void> result_;
};

/// All sizes: the points of results, and what was wrong with the protocol.
struct Points {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    std::vector<std::string> violations;
};

Result<Points> simulate_all(const Job& job, const Options& options) {
    const std::vector<std::uint64_t> sizes = job.sizes();
    Progress progress("ntb-sim run");
    Points all;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Watch watch(job, options);
        Hooks hooks;
        hooks.progress = [&](double part) {
            progress.show((static_cast<double>(i) + part) / static_cast<double>(sizes.size()),
                          fmt::format("{} bytes", sizes[i]));
        };
        if (options.watch()) {
            hooks.begin = [&](pcie::System& system) { return watch.begin(system); };
            hooks.end = [&](pcie::System&) { return watch.end(); };
        }
        const Outcome outcome = run_point(job, sizes[i], hooks);
        if (!watch.result()) return tl::unexpected(watch.result().error());
        all.points.push_back(outcome_json(outcome, job.hardware.topology));
        all.violations.insert(all.violations.end(), outcome.violations.begin(), outcome.violations.end());
    }
    return all;
}

Result<void> write(const nlohmann::ordered_json& results, const Options& options) {
    const auto& runs = results["runs"];
    if (!options.outputs.to_standard_output()) fmt::print("{}", results_table(runs[0]));
    Result<void> done;
    if (!options.json.empty()) done = write_file(options.json, results.dump(1) + "\n");
    if (done && !options.csv.empty()) done = write_file(options.csv, results_csv(runs));
    if (done && !options.plot.empty()) done = plot_runs(runs, options.plot);
    return done;
}

/// What is asked for, and cannot be had of this run.
Result<void> check_options(const Options& options, const Job& job) {
    if (options.watch() && job.sizes().size() != 1)
        return fail("traces are of one transfer size: give it, such as --sizes 4096");
    const Operation operation = job.workload.operation;
    if (!options.plot.empty() && operation == Operation::trace)
        return fail("--plot draws latency and rate over transfer sizes, which a trace does not have");
    if (options.record.empty()) return {};
    if (is_dma(operation))
        return fail(fmt::format("--record is of CPUs' requests; {} has none", name_of(operation)));
    if (job.hardware.profile.host.egress == 0)
        return fail(
            "--record sees requests on their way through hosts, which takes no time: set host.egress");
    return {};
}

int run(const JobRequest& request, const Options& options) {
    const auto job = load_job(request);
    if (!job) return complain(job.error().message, kUsage);
    for (const auto& fine : {check_options(options, *job), check_trace_options(*options.traces),
                             options.outputs.check(inputs_of(request, *job))})
        if (!fine) return complain(fine.error().message, kUsage);
    print_notes(job->notes);
    auto all = simulate_all(*job, options);
    if (!all) return complain(all.error().message, kFailure);
    const auto written =
        write({{"runs", {{{"conditions", job->conditions}, {"points", std::move(all->points)}}}}}, options);
    if (!written) return complain(written.error().message, kFailure);
    return report_violations(all->violations);
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
    auto* command =
        app.add_subcommand("run", "Simulate a workload on a topology, a transfer size after the other");
    const auto request = add_job_options(*command, JobKind::run);
    const auto options = std::make_shared<Options>();
    const auto add = [&](const char* name, OutputKind kind, std::string& path, const char* meaning) {
        return options->outputs.add(*command, name, kind, meaning,
                                    [&path](const std::string& given) { path = given; });
    };
    add("--json", OutputKind::text, options->json, "Write results and statistics; - is standard output");
    add("--csv", OutputKind::text, options->csv, "Write results as a table; - is standard output");
    add("--plot", OutputKind::picture, options->plot,
        "Draw latency and rate: a name that ends in .svg or .png");
    options->traces = add_trace_options(*command, options->outputs);
    add("--record", OutputKind::text, options->record,
        "The CPUs' requests, for the operation trace to replay; - is standard output")
        ->group("Traces");
    command->callback(
        [&line, request, options] { line.run = [request, options] { return run(*request, *options); }; });
}

}  // namespace ntblab::sim
