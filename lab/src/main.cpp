// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>

#include "commands/commands.h"
#include "exit_code.h"

namespace ntblab::lab {

int complain(const std::string& message, int code) {
    fmt::print(stderr, "ntblab: {}\n", message);
    return code;
}

namespace {

constexpr const char* kFooter =
    "A NODE is the name of a node, or CLUSTER/NODE where several clusters have one of that name.\n"
    "Clusters live below $NTBLAB_RUN_DIR (default: $XDG_RUNTIME_DIR/ntblab-UID or /tmp/ntblab-UID).\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such cluster or node, 4 in use,\n"
    "  128+N ended by signal N; exec and run: the command's own, 125 if it could not be run.";

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
    app.footer(kFooter);
    for (const auto add : {add_up, add_down, add_run, add_start, add_stop, add_ls, add_inspect, add_exec,
                           add_ssh, add_console, add_logs, add_doctor, add_version})
        add(app, line);
    std::reverse(words.begin(), words.end());  // the order that CLI11 takes
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kOk : kUsage;
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
    ::umask(0077);  // sockets, keys and logs are nobody else's
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return ntblab::lab::parse_and_run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "ntblab: internal error: {}\n", error.what());
        return ntblab::lab::kFailure;
    }
}
