// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "describe.h"
#include "qemu_command.h"
#include "text.h"
#include "up_options.h"

namespace ntblab::lab {
namespace {

void print_commands(const Plan& plan) {
    const auto print = [&](const std::string& title, const std::vector<std::string>& command) {
        std::vector<std::string> line = {"env"};
        for (const auto& entry : cluster_environment(plan)) line.push_back(entry);
        line.insert(line.end(), command.begin(), command.end());
        fmt::print("# {}\n{}\n", title, shell_join(line));
    };
    fmt::print("# The files below {} are made by `ntblab up`.\n", plan.paths.dir.string());
    if (!plan.topology.switches.empty()) print("ntb-fabric", fabric_command(plan));
    for (std::size_t node = 0; node < plan.topology.nodes.size(); ++node)
        print("node " + plan.topology.nodes[node].name, qemu_command(plan, node));
}

void print_json(const Plan& plan, const UpResult& result) {
    auto report = describe_cluster({plan.paths, result.state});
    report["seconds"] = result.seconds;
    fmt::print("{}\n", report.dump(2));
}

int up(const UpOptions& options, bool dry_run, bool json) {
    const auto plan = make_plan(options);
    if (!plan) return complain(plan.error().message, kFailure);
    if (dry_run) {
        print_commands(*plan);
        return kOk;
    }
    boost::asio::io_context io;
    const Interrupts interrupts(io, [&](int) { io.stop(); });
    const UpResult result = bring_up(io, interrupts, *plan, options);
    if (result.exit_code == kOk && json) print_json(*plan, result);
    return result.exit_code;
}

}  // namespace

void add_up(CLI::App& app, CommandLine& line) {
    static UpOptions options;
    static bool dry_run = false;
    static bool json = false;
    CLI::App* command = app.add_subcommand("up", "Start a cluster; returns when every node is ready");
    add_up_options(*command, options);
    command->add_flag("--dry-run", dry_run, "Print the command lines of the processes, start nothing");
    command->add_flag("--json", json, "Describe the cluster on standard output when it is ready");
    command->callback([&line] { line.run = [] { return up(options, dry_run, json); }; });
}

}  // namespace ntblab::lab
