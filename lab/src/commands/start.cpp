// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "boot_watch.h"
#include "claim.h"
#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "failure_report.h"
#include "interrupts.h"
#include "status.h"
#include "strays.h"
#include "vm.h"

namespace ntblab::lab {
namespace {

/// Boots a node's machine again, in a cluster whose lock is held.
int start_node(const ClusterPaths& paths, ClusterState& state, const std::string& name,
               std::chrono::seconds timeout) {
    const auto plan = plan_of(paths, state);
    if (!plan) return complain(plan.error().message, kFailure);
    const auto index = plan->topology.find_node(name);
    NodeState* node = state.find(name);
    if (!index || node == nullptr)
        return complain(fmt::format("cluster '{}' has no node '{}'", paths.name(), name), kNotFound);
    if (lost_fabric(state)) return complain(lost_fabric_message(paths), kFailure);
    if (is_alive(node->qemu)) return complain(fmt::format("node '{}' runs already", name), kBusy);

    boost::asio::io_context io;
    const Interrupts interrupts(io, [&](int) { io.stop(); });
    const NodePaths files = paths.node(name);
    if (const auto prepared = prepare_vm(*plan, *index); !prepared)
        return complain(prepared.error().message, kFailure);
    Progress progress(paths.name());
    BootWatch watch(io, progress);
    watch.add(name, files, links_expected(plan->topology, *index));
    for (std::size_t peer = 0; peer < plan->topology.nodes.size(); ++peer) {
        const NodeState* other = state.find(plan->topology.nodes[peer].name);
        const std::size_t links = links_expected(plan->topology, peer, *index);
        if (links > 0 && other != nullptr && is_alive(other->qemu))
            watch.add_peer(other->name, paths.node(other->name), links);
    }
    auto vm = start_vm(*plan, *index);
    if (!vm) return complain(vm.error().message, kFailure);
    node->qemu = vm->id();
    node->ssh_port = 0;
    if (const auto saved = save_state(paths, state); !saved) return complain(saved.error().message, kFailure);

    watch.add_qemu(name, files, vm->pidfd());
    const auto failures = watch.wait(timeout);
    if (!failures.empty() || interrupts.caught()) {
        if (!failures.empty()) report_failures(paths, failures);
        end_processes({vm->id()}, std::chrono::seconds(3));
        return interrupts.caught() ? kSignalBase + *interrupts.caught() : kFailure;
    }
    auto port = find_ssh_port(files);
    if (!port) return complain(port.error().message, kFailure);
    node->ssh_port = *port;
    progress.finish(fmt::format("node {} is ready", name));
    return kOk;
}

int start(const std::string& target, unsigned timeout) {
    const auto found = find_node(target);
    if (!found) return complain(found.error().message, kNotFound);
    const auto lock = claim_existing(found->paths);
    if (!lock) return complain(lock.error().message, kNotFound);
    auto state = load_state(found->paths);
    if (!state) return complain(state.error().message, kFailure);
    take_hold(*state, "start");
    if (const auto saved = save_state(found->paths, *state); !saved)
        return complain(saved.error().message, kFailure);
    const int code = start_node(found->paths, *state, found->name, std::chrono::seconds(timeout));
    release_hold(*state);
    const auto saved = save_state(found->paths, *state);
    return saved ? code : complain(saved.error().message, kFailure);
}

}  // namespace

void add_start(CLI::App& app, CommandLine& line) {
    static std::string target;
    static unsigned timeout = 180;
    CLI::App* command = app.add_subcommand(
        "start",
        "Boot a node whose machine has ended; returns when it is ready, and its links are up on both sides");
    command->add_option("NODE", target, "The node")->required();
    command->add_option("--timeout", timeout, "Seconds until it must be ready")
        ->check(CLI::Range(1, 86400))
        ->capture_default_str();
    command->callback([&line] { line.run = [] { return start(target, timeout); }; });
}

}  // namespace ntblab::lab
