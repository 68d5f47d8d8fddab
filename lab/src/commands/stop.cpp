// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <csignal>

#include "claim.h"
#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"

namespace ntblab::lab {
namespace {

constexpr std::chrono::seconds kQemuGrace{3};

/// `grace` zero: SIGKILL at once.
int stop(const std::string& target, std::chrono::milliseconds grace) {
    const auto found = find_node(target);
    if (!found) return complain(found.error().message, kNotFound);
    const auto lock = claim_existing(found->paths);
    if (!lock) return complain(lock.error().message, kNotFound);
    const auto state = load_state(found->paths);
    const NodeState* node = state ? state->find(found->name) : nullptr;
    if (node == nullptr) return complain(fmt::format("there is no node '{}'", target), kNotFound);
    if (!is_alive(node->qemu)) return complain(fmt::format("node '{}' does not run", target), kFailure);
    if (grace.count() == 0) {
        const UniqueFd pidfd = open_pidfd(node->qemu);
        if (pidfd) send_signal(pidfd.get(), SIGKILL);
    }
    if (!end_processes({node->qemu}, grace).empty())
        return complain(fmt::format("process {} does not end", node->qemu.pid), kFailure);
    return kOk;
}

}  // namespace

void add_stop(CLI::App& app, CommandLine& line) {
    static std::string target;
    CLI::App* gently = app.add_subcommand("stop", "Switch a node off: its machine is told to end");
    gently->add_option("NODE", target, "The node")->required();
    gently->callback([&line] { line.run = [] { return stop(target, kQemuGrace); }; });
    CLI::App* hard = app.add_subcommand(
        "kill", "Pull a node's plug: its machine ends at once, in the middle of whatever it does");
    hard->add_option("NODE", target, "The node")->required();
    hard->callback([&line] { line.run = [] { return stop(target, std::chrono::milliseconds(0)); }; });
}

}  // namespace ntblab::lab
