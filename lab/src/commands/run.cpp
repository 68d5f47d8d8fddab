// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "claim.h"
#include "commands.h"
#include "everywhere.h"
#include "run_dir.h"
#include "teardown.h"
#include "up_options.h"

namespace ntblab::lab {
namespace {

int run(const UpOptions& options, std::vector<std::string> nodes, const std::vector<std::string>& words) {
    const auto plan = make_plan(options);
    if (!plan) return complain(plan.error().message, kUnreachable);
    for (const std::string& node : nodes)
        if (!plan->topology.find_node(node))
            return complain(fmt::format("--on {}: {} has no such node", node, options.file), kUnreachable);
    if (nodes.empty())
        for (const topology::Node& node : plan->topology.nodes) nodes.push_back(node.name);

    boost::asio::io_context io;
    const Interrupts interrupts(io, [&](int) { io.stop(); });
    const UpResult up = bring_up(io, interrupts, *plan, options);
    if (up.exit_code != kOk) return up.exit_code < kSignalBase ? kUnreachable : up.exit_code;
    int code = run_everywhere(io, {plan->paths, up.state}, nodes, words);
    if (interrupts.caught()) code = kSignalBase + *interrupts.caught();

    if (const auto lock = claim_to_end(plan->paths))
        if (const auto destroyed = destroy_cluster(plan->paths); !destroyed)
            return complain(destroyed.error().message, kUnreachable);
    remove_empty_run_base();
    return code;
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
    static UpOptions options;
    static std::vector<std::string> nodes;
    CLI::App* command = app.add_subcommand(
        "run", "Start a cluster, run a command on its nodes, end it: run FILE -- COMMAND [ARGUMENT...]");
    add_up_options(*command, options);
    command
        ->add_option("--on", nodes,
                     "Only on this node, with our streams as its own; may be given several times")
        ->allow_extra_args(false);
    command->callback([&line] {
        line.run = [&line] {
            if (!line.remainder || line.remainder->empty())
                return complain("run needs a command: ntblab run FILE -- COMMAND [ARGUMENT...]", kUsage);
            return run(options, nodes, *line.remainder);
        };
    });
}

}  // namespace ntblab::lab
