// SPDX-License-Identifier: MIT
// The subcommands. Each adds itself to the parser, and sets `run` when it is the one chosen.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>
#include <vector>

namespace ntblab::sim {

struct CommandLine {
    /// Exit code of what the user asked for.
    std::function<int()> run;
};

/// What ntb-sim exits with.
enum ExitCode : int {
    kOk = 0,
    kFailure = 1,  ///< It could not be done; or what was to be checked is not so.
    kUsage = 2,    ///< Command line, topology, profile or workload are not right.
};

void add_run(CLI::App& app, CommandLine& line);
void add_sweep(CLI::App& app, CommandLine& line);
void add_merge(CLI::App& app, CommandLine& line);
void add_explain(CLI::App& app, CommandLine& line);
void add_calibrate(CLI::App& app, CommandLine& line);
void add_profiles(CLI::App& app, CommandLine& line);

/// Prints "ntb-sim: MESSAGE" on standard error. @return `code`.
int complain(const std::string& message, int code);
/// Complains if there are any. @return the exit code.
int report_violations(const std::vector<std::string>& violations);

}  // namespace ntblab::sim
