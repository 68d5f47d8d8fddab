// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "commands.h"
#include "everywhere.h"
#include "one_shot.h"
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

    return use_once(*plan, options, [&](boost::asio::io_context& io, const Cluster& cluster) {
        return run_everywhere(io, cluster, nodes, words);
    });
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
    command->footer(
        "After FILE comes the command: -- COMMAND [ARGUMENT...]. It runs on all nodes at once.\n"
        "Exits as the command does; on several nodes, with the code of the first node, in the file's order, "
        "on which "
        "it was not 0;\n125: the cluster could not be started or ended, or the command not be run.");
    command->callback([&line] {
        line.run = [&line] {
            if (!line.remainder || line.remainder->empty())
                return complain("run needs a command: ntblab run FILE -- COMMAND [ARGUMENT...]", kUsage);
            return run(options, nodes, *line.remainder);
        };
    });
}

}  // namespace ntblab::lab
