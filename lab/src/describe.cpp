// SPDX-License-Identifier: MIT
#include "describe.h"

#include "boots.h"

namespace ntblab::lab {

using nlohmann::ordered_json;

ordered_json describe_cluster(const Cluster& cluster) {
    ordered_json nodes = ordered_json::array();
    for (const NodeState& node : cluster.state.nodes) {
        const NodePaths files = cluster.paths.node(node.name);
        const bool running = is_alive(node.qemu);
        ordered_json entry = {{"name", node.name}, {"index", node.index}, {"running", running}};
        if (running) entry.update({{"pid", node.qemu.pid}, {"ssh_port", node.ssh_port}});
        if (!node.address.empty()) entry["address"] = node.address;
        if (!node.lan_address.empty()) entry["lan_address"] = node.lan_address;
        entry["boots"] = count_boots(files.status_log()).count;
        entry["directory"] = files.dir;
        if (cluster.state.gdb) entry["gdb_socket"] = files.gdb_socket();
        nodes.push_back(std::move(entry));
    }
    ordered_json result = {{"cluster", cluster.paths.name()},          {"condition", condition_of(cluster)},
                           {"directory", cluster.paths.dir},           {"topology", cluster.state.topology},
                           {"accelerator", cluster.state.accelerator}, {"kernel", cluster.state.kernel},
                           {"started", cluster.state.started}};
    if (!cluster.state.guest_suite.empty()) result["guest_suite"] = cluster.state.guest_suite;
    if (cluster.state.fabric.pid != 0) result["fabric_pid"] = cluster.state.fabric.pid;
    result["nodes"] = std::move(nodes);
    return result;
}

}  // namespace ntblab::lab
