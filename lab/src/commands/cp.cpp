// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cluster_list.h"
#include "commands.h"
#include "copy_path.h"
#include "exit_code.h"
#include "process.h"

namespace ntblab::lab {
namespace {

/// scp takes a path of this machine with a colon in it for another machine's.
std::string local_path(const std::string& path) {
    return path.starts_with('/') ? path : "./" + path;
}

int copy(const std::vector<std::string>& paths, bool preserve) {
    const auto job = plan_copy(paths);
    if (!job) return complain(job.error().message, kUsage);
    const auto node = find_node(job->node);
    if (!node) return complain(node.error().message, kNotFound);
    auto ssh = open_ssh(*node);
    if (!ssh) return complain(ssh.error().message, kFailure);
    if (const auto connected = ssh->connect(); !connected)
        return complain(connected.error().message, kFailure);
    std::vector<std::string> arguments = {"-r"};
    if (preserve) arguments.emplace_back("-p");
    if (::isatty(STDERR_FILENO) == 0) arguments.emplace_back("-q");
    arguments.emplace_back("--");
    for (const std::string& source : job->sources)
        arguments.push_back(job->to_node ? local_path(source) : Ssh::address() + source);
    arguments.push_back(job->to_node ? Ssh::address() + job->target : local_path(job->target));
    auto child = spawn({.arguments = ssh->copy_command(arguments),
                        .environment = ssh->environment(),
                        .output = STDOUT_FILENO,
                        .error = STDERR_FILENO});
    if (!child) return complain(child.error().message, kFailure);
    return exit_code_of(child->wait()) == 0 ? kOk : kFailure;  // scp has said why
}

}  // namespace

void add_cp(CLI::App& app, CommandLine& line) {
    static std::vector<std::string> paths;
    static bool preserve = false;
    static bool recursive = false;  // always so
    CLI::App* command = app.add_subcommand(
        "cp",
        "Copy files and directories between the host and a node: cp FILE... NODE:PATH, cp NODE:PATH... PATH");
    command
        ->add_option("PATH", paths,
                     "Sources, then the target; of a node: NODE:PATH (a file here with a colon: ./x:y)")
        ->required()
        ->expected(2, -1);
    command->add_flag("-p,--preserve", preserve, "Keep times and permissions");
    command->add_flag("-r", recursive, "Directories are always copied whole; taken as scp has it");
    command->callback([&line] { line.run = [] { return copy(paths, preserve); }; });
}

}  // namespace ntblab::lab
