// SPDX-License-Identifier: MIT
#include "usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli_walk.h"
#include "text.h"

namespace ntblab::lab {
namespace {

bool takes_guest_command(const CLI::App& command) {
    return command.get_name() == "exec" || command.get_name() == "run";
}

std::string too_many(const CLI::App& command, const std::vector<std::string>& words) {
    const auto extras = command.remaining();
    if (takes_guest_command(command) && !extras.front().starts_with('-')) {
        // Behind NODE or FILE, whose word may be the same as that of the command.
        auto begin = words.begin();
        const auto pass = [&](const std::string& word) {
            begin = std::find(begin, words.end(), word);
            if (begin != words.end()) ++begin;
        };
        pass(command.get_name());
        for (const std::string& target : arguments_of(command).front()->results()) pass(target);
        begin = std::find(begin, words.end(), extras.front());
        return fmt::format("write -- before the command: ntblab {} -- {}", shell_join({words.begin(), begin}),
                           shell_join({begin, words.end()}));
    }
    return fmt::format("'{}' takes no {}", command.get_name(), shell_join(extras));
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& words) {
    return std::ranges::any_of(names_of(option), [&](const std::string& name) {
        return std::ranges::any_of(
            words, [&](const std::string& word) { return word == name || word.starts_with(name + "="); });
    });
}

/// The option that a message is about, if its value came from the environment.
const CLI::Option* of_environment(const CLI::App& command, const std::vector<std::string>& words,
                                  const std::string& message) {
    for (const CLI::Option* option : options_of(command)) {
        const char* value =
            option->get_envname().empty() ? nullptr : std::getenv(option->get_envname().c_str());
        if (value != nullptr && !is_given(*option, words) &&
            message.find(option->get_name()) != std::string::npos)
            return option;
    }
    return nullptr;
}

}  // namespace

std::string usage_error(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string message = error.what();
    if (chosen.empty()) return message;
    const CLI::App& command = *chosen.front();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !command.remaining().empty())
        return too_many(command, words);
    const CLI::Option* option = of_environment(command, words, message);
    if (option == nullptr) return message;
    const std::string& variable = option->get_envname();
    if (!takes_value(*option))
        return fmt::format("{}: {}: expected true or false", variable, std::getenv(variable.c_str()));
    std::string told = message;
    return told.replace(told.find(option->get_name()), option->get_name().size(), variable);
}

}  // namespace ntblab::lab
