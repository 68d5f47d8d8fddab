// SPDX-License-Identifier: MIT
// What CLI11 knows of a command line's definitions, as pages about it need it.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace ntblab::lab {

/// In the order of their definition; those without a group are hidden.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<const CLI::Option*> options_of(const CLI::App& command);
/// Positional ones.
std::vector<const CLI::Option*> arguments_of(const CLI::App& command);

/// "-f", "--follow".
std::vector<std::string> names_of(const CLI::Option& option);
bool takes_value(const CLI::Option& option);
/// The words that an option accepts; empty: others than a few.
std::vector<std::string> choices_of(const CLI::Option& option);

/// The words that a command's positional arguments accept; empty: others than a few.
std::vector<std::string> argument_choices(const CLI::App& command);
/// Which of the lists that `ntblab completion --list` prints stands for a command's positional arguments; "":
/// none, files do.
std::string completion_list(const CLI::App& command);

}  // namespace ntblab::lab
