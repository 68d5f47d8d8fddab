// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli_pages.h"
#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"

namespace ntblab::lab {
namespace {

/// For completions: what may stand where a node, a cluster, either, or a path of `cp` is expected.
int list(const std::string& kind) {
    for (const Cluster& cluster : list_clusters()) {
        if (kind == "clusters" || kind == "targets") fmt::print("{}\n", cluster.paths.name());
        const char* end = kind == "paths" ? ":" : "";
        if (kind != "clusters")
            for (const NodeState& node : cluster.state.nodes)
                fmt::print("{0}{2}\n{1}/{0}{2}\n", node.name, cluster.paths.name(), end);
    }
    return kOk;
}

int completion(const CLI::App& app, const std::string& shell, const std::string& kind) {
    if (!kind.empty()) return list(kind);
    fmt::print("{}", shell == "bash"  ? bash_completion(app)
                     : shell == "zsh" ? zsh_completion(app)
                                      : fish_completion(app));
    return kOk;
}

}  // namespace

void add_completion(CLI::App& app, CommandLine& line) {
    static std::string shell = "bash";
    static std::string kind;
    CLI::App* command = app.add_subcommand(
        "completion", "Print a shell's completion of ntblab's commands: source <(ntblab completion bash)");
    command->add_option("SHELL", shell, "bash, zsh or fish")->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->add_option("--list", kind)
        ->check(CLI::IsMember({"nodes", "clusters", "paths", "targets"}))
        ->group("");
    command->callback([&line, &app] { line.run = [&app] { return completion(app, shell, kind); }; });
}

void add_man(CLI::App& app, CommandLine& line) {
    app.add_subcommand("man", "Print the manual page: ntblab man | man -l -")->callback([&line, &app] {
        line.run = [&app] {
            fmt::print("{}", man_page(app, NTBLAB_VERSION));
            return kOk;
        };
    });
}

}  // namespace ntblab::lab
