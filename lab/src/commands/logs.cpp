// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cluster_end.h"
#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "interrupts.h"
#include "log_follower.h"

namespace ntblab::lab {
namespace {

struct Source {
    std::string label;  ///< Before each line; "" for none.
    std::filesystem::path file;
};

std::filesystem::path log_of(const NodePaths& files, const std::string& kind) {
    if (kind == "status") return files.status_log();
    return kind == "qemu" ? files.qemu_log() : files.console_log();
}

struct Wanted {
    ClusterPaths cluster;
    std::vector<Source> sources;
};

/// One node, or everything of a cluster; "": of the only one.
Result<Wanted> find_sources(const std::string& name, const std::string& kind) {
    const auto cluster = find_cluster(name);
    if (!cluster) {
        if (name.empty()) return tl::unexpected(cluster.error());
        const auto target = find_node(name);
        if (!target) return tl::unexpected(target.error());
        return Wanted{target->paths, {{"", log_of(target->paths.node(target->name), kind)}}};
    }
    Wanted result{cluster->paths, {{"ntb-fabric | ", cluster->paths.fabric_log()}}};
    for (const NodeState& node : cluster->state.nodes)
        result.sources.push_back({node.name + " | ", log_of(cluster->paths.node(node.name), kind)});
    return result;
}

int logs(const std::string& name, const std::string& kind, bool follow) {
    const auto wanted = find_sources(name, kind);
    if (!wanted) return complain(wanted.error().message, kNotFound);
    boost::asio::io_context io;
    std::size_t there = wanted->sources.size();
    std::vector<std::unique_ptr<LogFollower>> followers;
    for (const Source& source : wanted->sources) {
        followers.push_back(std::make_unique<LogFollower>(
            io.get_executor(), source.file, 0,
            [&source](const std::string& line) {
                fmt::print("{}{}\n", source.label, line);
                std::fflush(stdout);
            },
            [&] {
                if (--there == 0) io.stop();
            }));
    }
    // All are open before the first line is out: whoever has seen it will see the others, come what may.
    for (const auto& follower : followers) follower->drain(!follow);
    if (!follow) return kOk;
    const ClusterEnd killed(io, wanted->cluster, [&] {
        for (const auto& follower : followers) follower->drain(true);
        io.stop();
    });
    const Interrupts interrupts(io, [&](int) { io.stop(); });
    io.run();
    return interrupts.caught() ? kSignalBase + *interrupts.caught() : kOk;
}

}  // namespace

void add_logs(CLI::App& app, CommandLine& line) {
    static std::string name;
    static std::string kind = "console";
    static bool follow = false;
    CLI::App* command = app.add_subcommand("logs", "Print a node's log, or those of a whole cluster");
    command->add_option(
        "TARGET", name,
        "A node, or a cluster: every node's log and the fabric's; by default the only cluster");
    command
        ->add_option("--kind", kind, "console (kernel and shell), status (events reported to ntblab) or qemu")
        ->check(CLI::IsMember({"console", "status", "qemu"}))
        ->capture_default_str();
    command->add_flag("-f,--follow", follow, "Go on until the cluster is down");
    command->callback([&line] { line.run = [] { return logs(name, kind, follow); }; });
}

}  // namespace ntblab::lab
