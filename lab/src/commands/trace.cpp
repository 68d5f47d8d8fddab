// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "interrupts.h"
#include "plan.h"
#include "text.h"
#include "trace_text.h"
#include "tracing.h"

namespace ntblab::lab {
namespace {

struct TraceOptions {
    std::string node;
    std::vector<std::string> kinds = trace_kinds();
    std::string file;  ///< "": standard output.
    bool json = false;
};

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Until a signal, or the end of the machine. @return an exit code.
int follow(const TraceOptions& options, const NodeTarget& target, const topology::Topology& topology,
           std::FILE* output) {
    UniqueFd running = open_pidfd(target.node().qemu);
    if (!running) return complain(fmt::format("node '{}' does not run", options.node), kFailure);
    boost::asio::io_context io;
    boost::asio::posix::stream_descriptor machine(io, running.release());
    machine.async_wait(boost::asio::posix::stream_descriptor::wait_read, [&](const auto&) { io.stop(); });
    const Interrupts interrupts(io, [&](int) { io.stop(); });
    std::optional<TraceText> text;
    int problem = 0;  // errno of the output
    auto tracing =
        Tracing::begin(io, target.paths.node(target.name), options.kinds, [&](const TraceEvent& event) {
            if (problem != 0) return;
            const std::string words = (options.json ? text->json(event).dump() : text->line(event)) + "\n";
            if (std::fputs(words.c_str(), output) >= 0 && std::fflush(output) == 0) return;
            problem = errno;
            io.stop();
        });
    if (!tracing) return complain(tracing.error().message, kFailure);
    if (!*tracing) return complain(fmt::format("another `ntblab trace {}` is running", options.node), kBusy);
    // Not before: it may be the file of the one that is running. EINVAL: no file, but a pipe or a terminal.
    if (!options.file.empty() && ::ftruncate(::fileno(output), 0) != 0 && errno != EINVAL)
        return complain(errno_message("cannot write " + options.file), kFailure);
    text.emplace(topology, *topology.find_node(target.name), (*tracing)->start());
    fmt::print(stderr, "tracing {}/{}; Ctrl-C ends it\n", target.paths.name(), target.name);
    io.run();
    const auto ended = (*tracing)->end();
    if (problem == EPIPE) return kSignalBase + SIGPIPE;  // `| head` has what it wants
    if (problem != 0)
        return complain(
            fmt::format("cannot write {}: {}", options.file.empty() ? "standard output" : options.file,
                        std::generic_category().message(problem)),
            kFailure);
    if (!is_alive(target.node().qemu))
        return complain(fmt::format("node '{}' was switched off", options.node), kFailure);
    if (!ended) return complain(ended.error().message, kFailure);
    return kSignalBase + interrupts.caught().value_or(0);
}

int trace(const TraceOptions& options) {
    const auto target = find_node(options.node);
    if (!target) return complain(target.error().message, kNotFound);
    const auto plan = plan_of(target->paths, target->state);
    if (!plan) return complain(plan.error().message, kFailure);
    const auto node = plan->topology.find_node(target->name);
    if (!node || plan->topology.all_endpoints(*node).empty())
        return complain(fmt::format("node '{}' has no endpoint that could be traced", options.node),
                        kFailure);
    if (options.file.empty()) return follow(options, *target, plan->topology, stdout);
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(options.file.c_str(), "ae"));
    if (!file) return complain(errno_message("cannot write " + options.file), kFailure);
    return follow(options, *target, plan->topology, file.get());
}

}  // namespace

void add_trace(CLI::App& app, CommandLine& line) {
    static TraceOptions options;
    CLI::App* command = app.add_subcommand(
        "trace", "Show what a node's endpoints do, with the names of registers and their fields");
    command->add_option("NODE", options.node, "The node")->required();
    command
        ->add_option(
            "--events", options.kinds,
            "Only these, separated by commas: register (accesses to the chip), mrpc (firmware commands), "
            "doorbell, message, window (opened, closed, accesses that are no plain memory), interrupt, "
            "device (resets, what is known of the host's memory), dma (registers and descriptors of the DMA "
            "engine)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(trace_kinds()));
    command->add_option("-o,--output", options.file, "Write to this file");
    command->add_flag("--json", options.json, "A JSON object for each event, one a line (docs/ntblab.md)");
    command->footer(
        "Ends by Ctrl-C or another signal, and by the end of the machine; the machine is traced no more "
        "then.\n"
        "A driver's accesses take longer while registers are traced.");
    command->callback([&line] { line.run = [] { return trace(options); }; });
}

}  // namespace ntblab::lab
