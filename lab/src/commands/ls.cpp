// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "boots.h"
#include "commands.h"
#include "describe.h"
#include "exit_code.h"
#include "run_dir.h"

namespace ntblab::lab {
namespace {

std::string age(std::int64_t started) {
    const std::int64_t seconds = std::max<std::int64_t>(0, std::time(nullptr) - started);
    if (seconds < 120) return fmt::format("{}s", seconds);
    if (seconds < 7200) return fmt::format("{}m", seconds / 60);
    return fmt::format("{}h", seconds / 3600);
}

void print_table(const std::vector<Cluster>& clusters) {
    if (clusters.empty()) {
        fmt::print(stderr, "no cluster is up\n");
        return;
    }
    constexpr auto row = "{:<20} {:<9} {:>5}  {:<16} {:<12} {:>8} {:>6}\n";
    fmt::print(row, "CLUSTER", "CONDITION", "AGE", "NODE", "STATE", "PID", "SSH");
    for (const Cluster& cluster : clusters) {
        std::string name = cluster.paths.name();
        std::string condition = condition_of(cluster);
        std::string since = age(cluster.state.started);
        for (const NodeState& node : cluster.state.nodes) {
            const bool running = is_alive(node.qemu);
            const std::string state = !running ? "off"
                                      : lost_fabric(cluster.state)
                                          ? "NTB is dead"
                                          : last_status(cluster.paths.node(node.name).status_log());
            fmt::print(row, name, condition, since, node.name, state,
                       running ? std::to_string(node.qemu.pid) : "-",
                       running && node.ssh_port != 0 ? std::to_string(node.ssh_port) : "-");
            name = condition = since = "";
        }
        if (cluster.state.nodes.empty()) fmt::print(row, name, condition, since, "-", "-", "-", "-");
    }
}

int ls(bool json) {
    if (const auto readable = check_run_base(); !readable)
        return complain(readable.error().message, kFailure);
    const auto clusters = list_clusters();
    if (!json) {
        print_table(clusters);
        return kOk;
    }
    auto report = nlohmann::ordered_json::array();
    for (const Cluster& cluster : clusters) report.push_back(describe_cluster(cluster));
    fmt::print("{}\n", report.dump(2));
    return kOk;
}

}  // namespace

void add_ls(CLI::App& app, CommandLine& line) {
    static bool json = false;
    CLI::App* command = app.add_subcommand("ls", "List clusters and their nodes");
    command->add_flag("--json", json, "For machines");
    command->callback([&line] { line.run = [] { return ls(json); }; });
}

}  // namespace ntblab::lab
