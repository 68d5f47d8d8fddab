// SPDX-License-Identifier: MIT
// The subcommands. Each adds itself to the parser, and sets `run` when it is the one chosen.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ntblab::lab {

struct CommandLine {
    /// Words after `--`, untouched; none if there was no `--`.
    std::optional<std::vector<std::string>> remainder;
    /// Exit code of what the user asked for.
    std::function<int()> run;
};

void add_up(CLI::App& app, CommandLine& line);
void add_down(CLI::App& app, CommandLine& line);
void add_check(CLI::App& app, CommandLine& line);
void add_test(CLI::App& app, CommandLine& line);
void add_cp(CLI::App& app, CommandLine& line);
void add_graph(CLI::App& app, CommandLine& line);
void add_run(CLI::App& app, CommandLine& line);
void add_start(CLI::App& app, CommandLine& line);
void add_stop(CLI::App& app, CommandLine& line);
void add_ls(CLI::App& app, CommandLine& line);
void add_inspect(CLI::App& app, CommandLine& line);
void add_exec(CLI::App& app, CommandLine& line);
void add_ssh(CLI::App& app, CommandLine& line);
void add_console(CLI::App& app, CommandLine& line);
void add_logs(CLI::App& app, CommandLine& line);
void add_trace(CLI::App& app, CommandLine& line);
void add_doctor(CLI::App& app, CommandLine& line);
void add_completion(CLI::App& app, CommandLine& line);
void add_man(CLI::App& app, CommandLine& line);
void add_version(CLI::App& app, CommandLine& line);

/// Prints "ntblab: MESSAGE" on standard error. @return `code`.
int complain(const std::string& message, int code);

}  // namespace ntblab::lab
