// SPDX-License-Identifier: MIT
// What is told of a command line that the parser does not take.
//
//     try { app.parse(words); } catch (const CLI::ParseError& error) { complain(usage_error(app, words,
//     error)); }
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace ntblab::lab {

/// One line. `words`: the command line up to "--", in the order in which it was given.
/// - Words too many: those words and, where they look like a command for a guest, where "--" belongs.
/// - A bad value of the environment: its variable in place of the option, which nobody gave.
/// - Else the parser's own words.
std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::ParseError& error);

}  // namespace ntblab::lab
