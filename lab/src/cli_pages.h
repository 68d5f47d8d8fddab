// SPDX-License-Identifier: MIT
// Shell completions and the manual page, made of the commands' own definitions.
//
//     fmt::print("{}", man_page(app, "1.0"));
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace ntblab::lab {

/// To be sourced by the shell; zsh's may also stand as _ntblab in its fpath.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

/// ntblab(1), for man.
std::string man_page(const CLI::App& app, const std::string& version);

/// Exit codes and environment variables, as they stand at the end of --help.
std::string help_footer(const CLI::App& app);

}  // namespace ntblab::lab
