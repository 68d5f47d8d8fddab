// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>
#include <systemc>

#include "commands/commands.h"
#include "unfinished.h"

namespace ntblab::sim {

int complain(const std::string& message, int code) {
    fmt::print(stderr, "ntb-sim: {}\n", message);
    return code;
}

int report_violations(const std::vector<std::string>& violations) {
    if (violations.empty()) return kOk;
    return complain(fmt::format("the protocol was violated:\n{}", fmt::join(violations, "\n")), kFailure);
}

namespace {

int parse_and_run(int argc, char** argv) {
    CommandLine line;
    CLI::App app("A timing model of what lies between the memories of hosts that NTBs join.", "ntb-sim");
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("ntb-sim ") + NTBLAB_VERSION, "Print the version and exit");
    for (const auto add : {add_run, add_sweep, add_merge, add_explain, add_calibrate, add_profiles})
        add(app, line);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kOk : kUsage;
    }
    const int code = line.run();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        return complain(
            fmt::format("standard output cannot be written: {}", std::generic_category().message(errno)),
            kFailure);
    return code;
}

}  // namespace
}  // namespace ntblab::sim

// SystemC's library has a main() of its own, which wants this; ours says no more than it has to.
int sc_main(int, char**) {
    return 0;
}

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL);
    ntblab::sim::remove_unfinished_at_signals();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error as others are
    try {
        return ntblab::sim::parse_and_run(argc, argv);
    } catch (const std::exception& error) {
        return ntblab::sim::complain(fmt::format("internal error: {}", error.what()), ntblab::sim::kFailure);
    }
}
