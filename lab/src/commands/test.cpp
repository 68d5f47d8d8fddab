// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "files.h"
#include "one_shot.h"
#include "step_run.h"
#include "text.h"
#include "up_options.h"

namespace ntblab::lab {
namespace {

constexpr std::size_t kShownLines = 20;

void show_end(const char* what, const std::string& text) {
    for (const std::string& line : last_lines(text, kShownLines)) fmt::print("     {} | {}\n", what, line);
}

void show(const StepResult& result) {
    fmt::print("{} {} ({:.1f} s)\n", result.passed() ? "pass" : "FAIL", result.name, result.seconds);
    if (!result.broken.empty()) fmt::print("     {}\n", result.broken);
    for (const std::string& complaint : result.complaints) fmt::print("     {}\n", complaint);
    if (!result.passed()) {
        show_end("stdout", result.output);
        show_end("stderr", result.error);
    }
    std::fflush(stdout);
}

int run_steps(boost::asio::io_context& io, const Cluster& cluster, const Plan& plan,
              const std::string& junit) {
    std::vector<StepResult> results;
    std::size_t failed = 0;
    for (const topology::Step& step : plan.topology.validate) {
        results.push_back(run_step(io, cluster, step));
        show(results.back());
        if (!results.back().passed()) ++failed;
        if (results.back().interrupted) break;
    }
    fmt::print("{} passed, {} failed\n", results.size() - failed, failed);
    if (!junit.empty())
        if (const auto written = write_file(junit, junit_report(plan.topology.name, results), 0666); !written)
            return complain(written.error().message, kUnreachable);
    return failed == 0 ? kOk : kFailure;
}

int test(const UpOptions& options, const std::string& junit) {
    const auto plan = make_plan(options);
    if (!plan) return complain(plan.error().message, kUnreachable);
    if (plan->topology.validate.empty())
        return complain(
            fmt::format("{} has no 'validate' section, so there is nothing to test; docs/ntblab.md shows one",
                        options.file),
            kUnreachable);
    return use_once(*plan, options, [&](boost::asio::io_context& io, const Cluster& cluster) {
        return run_steps(io, cluster, *plan, junit);
    });
}

}  // namespace

void add_test(CLI::App& app, CommandLine& line) {
    static UpOptions options;
    static std::string junit;
    CLI::App* command = app.add_subcommand(
        "test", "Start a cluster, run the steps of the topology's 'validate' section, end it");
    add_up_options(*command, options);
    command->add_option("--junit", junit, "Write the results to this file, as JUnit XML");
    command->callback([&line] { line.run = [] { return test(options, junit); }; });
}

}  // namespace ntblab::lab
