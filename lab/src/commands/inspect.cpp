// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <ntblink/inspect.h>

#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "inspection.h"

namespace ntblab::lab {
namespace {

int inspect(const std::string& name, bool json) {
    const auto cluster = find_cluster(name);
    if (!cluster) return complain(cluster.error().message, kNotFound);
    if (cluster->state.fabric.pid == 0)
        return complain(fmt::format("cluster '{}' has no switch", cluster->paths.name()), kFailure);
    if (lost_fabric(cluster->state)) return complain(lost_fabric_message(cluster->paths), kFailure);
    const auto document = ntblink::inspect(cluster->paths.fabric_socket());
    if (!document) return complain(document.error().message, kFailure);
    const Result<std::string> text =
        json ? Result<std::string>(*document + "\n") : format_inspection(*document);
    if (!text) return complain(text.error().message, kFailure);
    fmt::print("{}", *text);
    return kOk;
}

}  // namespace

void add_inspect(CLI::App& app, CommandLine& line) {
    static std::string name;
    static bool json = false;
    CLI::App* command = app.add_subcommand("inspect", "Show the state of a cluster's switches");
    command->add_option("NAME", name, "The cluster; may be left out if there is one");
    command->add_flag("--json", json, "All of it, for machines (docs/protocol.md)");
    command->callback([&line] { line.run = [] { return inspect(name, json); }; });
}

}  // namespace ntblab::lab
