// SPDX-License-Identifier: MIT
#include "vm.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "addresses.h"
#include "files.h"
#include "guest_config.h"
#include "qemu_command.h"
#include "qmp.h"
#include "text.h"

namespace ntblab::lab {

Result<void> prepare_vm(const Plan& plan, std::size_t node) {
    const NodePaths files = plan.paths.node(plan.topology.nodes[node].name);
    if (::mkdir(files.dir.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(errno_message("cannot make " + files.dir.string()));
    if (auto written = write_file(files.config(),
                                  guest_config(plan.topology, node, plan.share.empty() ? "" : kShareTag));
        !written)
        return written;
    if (auto written = write_file(files.hosts(), guest_hosts(plan.topology, node)); !written) return written;
    for (const auto& log : {files.console_log(), files.qemu_log()})
        if (const auto opened = open_log(log); !opened) return tl::unexpected(opened.error());
    const auto status = open_log(files.status_log());
    if (!status) return tl::unexpected(status.error());
    constexpr std::string_view event = "power-on\n";
    if (::write(status->get(), event.data(), event.size()) != static_cast<ssize_t>(event.size()))
        return fail(errno_message("cannot write " + files.status_log().string()));
    return {};
}

Result<Child> start_vm(const Plan& plan, std::size_t node) {
    const NodePaths files = plan.paths.node(plan.topology.nodes[node].name);
    auto log = open_log(files.qemu_log());
    if (!log) return tl::unexpected(log.error());
    return spawn({.arguments = qemu_command(plan, node),
                  .environment = cluster_environment(plan),
                  .output = log->get(),
                  .error = log->get(),
                  .new_session = true});
}

NodeState describe_node(const topology::Topology& topology, std::size_t node, const ProcessId& qemu) {
    const auto endpoints = topology.endpoints(node);
    return {.name = topology.nodes[node].name,
            .index = static_cast<unsigned>(node + 1),
            .qemu = qemu,
            .address = endpoints.empty() ? "" : nt_address(topology, endpoints[0]),
            .lan_address = lan_address(topology, node)};
}

Result<unsigned> find_ssh_port(const NodePaths& files) {
    const auto answer = human_monitor_command(files.qmp_socket(), "info usernet");
    if (!answer) return tl::unexpected(answer.error());
    return forwarded_ssh_port(*answer);
}

}  // namespace ntblab::lab
