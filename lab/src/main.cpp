// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "cli_pages.h"
#include "cli_walk.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "usage_error.h"

namespace ntblab::lab {

int complain(const std::string& message, int code) {
    fmt::print(stderr, "ntblab: {}\n", message);
    return code;
}

namespace {

int parse_and_run(int argc, char** argv) {
    CommandLine line;
    // Everything after the first "--" belongs to the command in the guest; the parser must not look at it.
    std::vector<std::string> words(argv + 1, argv + argc);
    const auto separator = std::find(words.begin(), words.end(), "--");
    if (separator != words.end()) line.remainder.emplace(separator + 1, words.end());
    words.erase(separator, words.end());

    CLI::App app("Clusters of virtual machines joined by an emulated Switchtec PCIe non-transparent bridge.",
                 "ntblab");
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("ntblab ") + NTBLAB_VERSION, "Print the version and exit");
    for (const auto add :
         {add_check, add_graph, add_up,      add_down,       add_run, add_test,   add_start,
          add_stop,  add_ls,    add_inspect, add_exec,       add_cp,  add_ssh,    add_console,
          add_logs,  add_trace, add_doctor,  add_completion, add_man, add_version})
        add(app, line);
    app.footer(help_footer(app));  // now: commands take over what there is when they are added
    const auto command = std::ranges::find_if(words, [](const auto& word) { return !word.starts_with('-'); });
    if (command != words.end() && std::ranges::count(commands_of(app), *command, &CLI::App::get_name) == 0)
        return complain(fmt::format("there is no command '{}'; `ntblab --help` lists them", *command),
                        kUsage);
    try {
        std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order that CLI11 takes
        app.parse(reversed);
    } catch (const CLI::Success& wish) {  // help, version
        return app.exit(wish);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "{}\nRun with --help for more information.\n", usage_error(app, words, error));
        return kUsage;
    }
    const auto* chosen = app.get_subcommands().front();
    if (line.remainder && chosen->get_name() != "exec" && chosen->get_name() != "run")
        return complain(fmt::format("'{}' takes no command after '--'", chosen->get_name()), kUsage);
    return line.run();
}

}  // namespace
}  // namespace ntblab::lab

int main(int argc, char** argv) {
    // What is started here outlives us, and must not hold the caller's pipes open.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return ntblab::lab::parse_and_run(argc, argv);
    } catch (const std::system_error& error) {
        // Whoever read our output (`| head`) has gone; that is no news to anybody.
        if (error.code() == std::errc::broken_pipe) return ntblab::lab::kSignalBase + SIGPIPE;
        fmt::print(stderr, "ntblab: internal error: {}\n", error.what());
        return ntblab::lab::kFailure;
    } catch (const std::exception& error) {
        fmt::print(stderr, "ntblab: internal error: {}\n", error.what());
        return ntblab::lab::kFailure;
    }
}
