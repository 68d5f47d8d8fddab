// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files.h"
#include "job_options.h"
#include "plot.h"
#include "progress.h"
#include "request_recorder.h"
#include "results.h"
#include "trace_options.h"

namespace ntblab::sim {
namespace {

struct Outputs {
    std::string json, csv, plot, record;
    std::shared_ptr<TraceOptions> traces;

    bool watch() const { return traces->any() || !record.empty(); }
};

/// Who watches one simulation, for the files that are wanted of it.
class Watch {
  public:
    Watch(const Job& job, const Outputs& outputs) : job_(job), outputs_(outputs) {}

    bool begin(pcie::System& system) {
        auto traces = Traces::create(*outputs_.traces, system);
        if (!traces) {
            result_ = tl::unexpected(traces.error());
            return false;
        }
        traces_ = std::move(*traces);
        if (outputs_.record.empty()) return true;
        if (job_.hardware.profile.host.egress == 0) {
            result_ = fail(
                "--record sees requests on their way through hosts, which takes no time: set host.egress");
            return false;
        }
        recorder_ = std::make_unique<RequestRecorder>(system);
        traces_->observers().add(*recorder_);
        system.observe(&traces_->observers());
        return true;
    }

    bool end() {
        if (traces_) result_ = traces_->finish();
        if (result_ && recorder_)
            result_ = write_file(outputs_.record, trace_text(recorder_->requests(), job_.hardware.topology));
        traces_.reset();
        return result_.has_value();
    }

    const Result<void>& result() const { return result_; }

  private:
    const Job& job_;
    const Outputs& outputs_;
    std::unique_ptr<Traces> traces_;
    std::unique_ptr<RequestRecorder> recorder_;
    Result<void> result_;
};

/// All sizes: the points of results, and what was wrong with the protocol.
struct Points {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    std::vector<std::string> violations;
};

Result<Points> simulate_all(const Job& job, const Outputs& outputs) {
    const std::vector<std::uint64_t> sizes = job.sizes();
    Progress progress("ntb-sim run");
    Points all;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Watch watch(job, outputs);
        Hooks hooks;
        hooks.progress = [&](double part) {
            progress.show((static_cast<double>(i) + part) / static_cast<double>(sizes.size()),
                          fmt::format("{} bytes", sizes[i]));
        };
        if (outputs.watch()) {
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

Result<void> write(const nlohmann::ordered_json& results, const Outputs& outputs) {
    const auto& runs = results["runs"];
    if (outputs.json != "-" && outputs.csv != "-") fmt::print("{}", results_table(runs[0]));
    Result<void> done;
    if (!outputs.json.empty()) done = write_file(outputs.json, results.dump(1) + "\n");
    if (done && !outputs.csv.empty()) done = write_file(outputs.csv, results_csv(runs));
    if (done && !outputs.plot.empty()) done = plot_runs(runs, outputs.plot);
    return done;
}

int run(const JobRequest& request, const Outputs& outputs) {
    const auto job = load_job(request);
    if (!job) return complain(job.error().message, kUsage);
    if (outputs.watch() && job->sizes().size() != 1)
        return complain("traces are of one transfer size: give it, such as --sizes 4096", kUsage);
    auto all = simulate_all(*job, outputs);
    if (!all) return complain(all.error().message, kFailure);
    const auto written =
        write({{"runs", {{{"conditions", job->conditions}, {"points", std::move(all->points)}}}}}, outputs);
    if (!written) return complain(written.error().message, kFailure);
    if (all->violations.empty()) return kOk;
    return complain(fmt::format("the protocol was violated:\n{}", fmt::join(all->violations, "\n")),
                    kFailure);
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
    auto* command =
        app.add_subcommand("run", "Simulate a workload on a topology, a transfer size after the other");
    const auto request = add_job_options(*command);
    const auto outputs = std::make_shared<Outputs>();
    const auto add = [&](const char* name, std::string& path, const char* meaning) {
        command->add_option(name, path, meaning)->type_name("FILE");
    };
    add("--json", outputs->json, "Write results and statistics; - is standard output");
    add("--csv", outputs->csv, "Write results as a table; - is standard output");
    add("--plot", outputs->plot, "Draw latency and rate: a name that ends in .svg or .png");
    outputs->traces = add_trace_options(*command);
    command->add_option("--record", outputs->record, "The CPUs' requests, for the operation trace to replay")
        ->type_name("FILE")
        ->group("Traces");
    command->callback(
        [&line, request, outputs] { line.run = [request, outputs] { return run(*request, *outputs); }; });
}

}  // namespace ntblab::sim
