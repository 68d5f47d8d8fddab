// SPDX-License-Identifier: MIT
#include "graph.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "commands.h"
#include "exit_code.h"
#include "process.h"
#include "text.h"

namespace ntblab::lab {
namespace {

/// Has graphviz draw on our standard output.
int draw_svg(const std::string& dot) {
    const UniqueFd input(::memfd_create("graph.dot", MFD_CLOEXEC));
    if (!input || ::pwrite(input.get(), dot.data(), dot.size(), 0) != static_cast<ssize_t>(dot.size()))
        return complain(errno_message("no memory for the graph"), kFailure);
    auto child = spawn({.arguments = {"dot", "-Tsvg"},
                        .input = input.get(),
                        .output = STDOUT_FILENO,
                        .error = STDERR_FILENO});
    if (!child)
        return complain(child.error().message +
                            "; --format svg is drawn by graphviz: install graphviz, or take another --format",
                        kFailure);
    const int code = exit_code_of(child->wait());
    return code == 0 ? kOk : complain(fmt::format("graphviz's dot failed with exit code {}", code), kFailure);
}

int graph(const std::string& file, const std::string& format) {
    const auto topology = topology::load(file);
    if (!topology) return complain(topology.error().message, kFailure);
    if (format == "svg") return draw_svg(graph_dot(*topology));
    fmt::print("{}", format == "dot"       ? graph_dot(*topology)
                     : format == "mermaid" ? graph_mermaid(*topology)
                                           : graph_ascii(*topology));
    return kOk;
}

}  // namespace

void add_graph(CLI::App& app, CommandLine& line) {
    static std::string file;
    static std::string format = "ascii";
    CLI::App* command = app.add_subcommand("graph", "Draw a topology on standard output");
    command->add_option("FILE", file, "Topology file (docs/topology.md)")->required();
    command->add_option("--format", format, "ascii, dot (graphviz), mermaid, or svg (needs graphviz)")
        ->check(CLI::IsMember({"ascii", "dot", "mermaid", "svg"}))
        ->capture_default_str();
    command->callback([&line] { line.run = [] { return graph(file, format); }; });
}

}  // namespace ntblab::lab
