// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <csignal>

#include "claim.h"
#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"

namespace ntblab::lab {
namespace {

constexpr std::chrono::seconds kQemuGrace{3};

/// Returns at once when the shell has it: a connection that breaks would not tell whether the guest was told.
constexpr const char* kPowerOff = "setsid sh -c 'sleep 0.2; poweroff' </dev/null >/dev/null 2>&1 &";

/// Has the guest switch itself off. Returns when its machine has ended, at the latest after `limit`, or as
/// soon as the guest turns out not to listen.
void power_off(const NodeTarget& target, std::chrono::seconds limit) {
    const UniqueFd machine = open_pidfd(target.node().qemu);
    // By a process of its own: a guest that hangs keeps whoever connects to it waiting.
    auto messenger = spawn({.arguments = {"/proc/self/exe", "exec", target.paths.name() + "/" + target.name,
                                          "--", "sh", "-c", kPowerOff}});
    if (!machine || !messenger) return;
    const auto end = std::chrono::steady_clock::now() + limit;
    std::array<pollfd, 2> polled{{{machine.get(), POLLIN, 0}, {messenger->pidfd(), POLLIN, 0}}};
    bool told = false;
    while (polled[0].revents == 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now())
                .count();
        if (left <= 0 || ::poll(polled.data(), polled.size(), static_cast<int>(left)) < 0) break;
        if (polled[1].revents == 0) continue;
        polled[1] = {-1, 0, 0};
        told = exit_code_of(messenger->wait()) == 0;
        if (!told) return;
    }
    if (told) return;
    messenger->signal(SIGKILL);
    messenger->wait();
}

/// `limit` zero: the guest is not asked; `grace` zero: SIGKILL at once.
int stop(const std::string& target, std::chrono::seconds limit, std::chrono::milliseconds grace) {
    const auto found = find_node(target);
    if (!found) return complain(found.error().message, kNotFound);
    const auto lock = claim_existing(found->paths);
    if (!lock) return complain(lock.error().message, kNotFound);
    const auto state = load_state(found->paths);
    const NodeState* node = state ? state->find(found->name) : nullptr;
    if (node == nullptr) return complain(fmt::format("there is no node '{}'", target), kNotFound);
    if (!is_alive(node->qemu)) return complain(fmt::format("node '{}' does not run", target), kFailure);
    if (limit.count() > 0) power_off(*found, limit);
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
    static unsigned timeout = 60;
    CLI::App* gently = app.add_subcommand(
        "stop",
        "Switch a node off: the guest powers itself off; if it does not in time, its machine is ended");
    gently->add_option("NODE", target, "The node")->required();
    gently->add_option("--timeout", timeout, "Seconds that the guest has; 0: it is not asked")
        ->check(CLI::Range(0, 86400))
        ->capture_default_str();
    gently->callback(
        [&line] { line.run = [] { return stop(target, std::chrono::seconds(timeout), kQemuGrace); }; });
    CLI::App* hard = app.add_subcommand(
        "kill", "Pull a node's plug: its machine ends at once, in the middle of whatever it does");
    hard->add_option("NODE", target, "The node")->required();
    hard->callback([&line] {
        line.run = [] { return stop(target, std::chrono::seconds(0), std::chrono::milliseconds(0)); };
    });
}

}  // namespace ntblab::lab
