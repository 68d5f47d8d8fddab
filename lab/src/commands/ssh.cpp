// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "text.h"

namespace ntblab::lab {
namespace {

int login(const std::string& name) {
    const auto target = find_node(name);
    if (!target) return complain(target.error().message, kUnreachable);
    auto ssh = open_ssh(*target);
    if (!ssh) return complain(ssh.error().message, kUnreachable);
    if (const auto connected = ssh->connect(); !connected)
        return complain(connected.error().message, kUnreachable);
    auto words = ssh->command("", ::isatty(STDIN_FILENO) == 1);
    words.insert(words.begin(), "env");
    for (const std::string& entry : ssh->environment()) words.insert(words.begin() + 1, entry);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    return complain(errno_message("cannot run ssh"), kUnreachable);
}

}  // namespace

void add_ssh(CLI::App& app, CommandLine& line) {
    static std::string name;
    CLI::App* command = app.add_subcommand("ssh", "Log in to a node");
    command->add_option("NODE", name, "The node")->required();
    command->callback([&line] { line.run = [] { return login(name); }; });
}

}  // namespace ntblab::lab
