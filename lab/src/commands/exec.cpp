// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include "cluster_list.h"
#include "commands.h"
#include "exit_code.h"
#include "interrupts.h"
#include "remote_run.h"

namespace ntblab::lab {
namespace {

int exec(const std::string& name, const std::vector<std::string>& words, bool terminal) {
    const auto target = find_node(name);
    if (!target) return complain(target.error().message, kUnreachable);
    auto ssh = open_ssh(*target);
    if (!ssh) return complain(ssh.error().message, kUnreachable);
    boost::asio::io_context io;
    auto run = RemoteRun::open(io, std::move(*ssh), words, terminal);
    if (!run) return complain(run.error().message, kUnreachable);
    const Interrupts interrupts(io, [&](int number) { (*run)->signal(number); });
    int code = kUnreachable;
    const auto started = (*run)->start(
        {.input = STDIN_FILENO, .output = STDOUT_FILENO, .error = STDERR_FILENO}, [&](Result<int> end) {
            code = end                   ? *end
                   : interrupts.caught() ? kSignalBase + *interrupts.caught()
                                         : complain(end.error().message, kUnreachable);
            io.stop();
        });
    if (!started) return complain(started.error().message, kUnreachable);
    io.run();
    return code;
}

}  // namespace

void add_exec(CLI::App& app, CommandLine& line) {
    static std::string name;
    static bool terminal = false;
    CLI::App* command =
        app.add_subcommand("exec", "Run a command on a node: exec NODE -- COMMAND [ARGUMENT...]");
    command->add_option("NODE", name, "The node")->required();
    command->add_flag("-t,--tty", terminal, "Give the command a terminal");
    command->footer(
        "After NODE comes the command: -- COMMAND [ARGUMENT...]. Its words arrive as they are; for a shell's "
        "work: -- sh -c "
        "'...'.\nExits as the command does; 125: it could not be run, or the connection broke.");
    command->callback([&line] {
        line.run = [&line] {
            if (!line.remainder || line.remainder->empty())
                return complain("exec needs a command: ntblab exec NODE -- COMMAND [ARGUMENT...]", kUsage);
            return exec(name, *line.remainder, terminal);
        };
    });
}

}  // namespace ntblab::lab
