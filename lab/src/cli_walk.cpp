// SPDX-License-Identifier: MIT
#include "cli_walk.h"

#include <utility>

#include "text.h"

namespace ntblab::lab {
namespace {

std::vector<const CLI::Option*> select(const CLI::App& command, bool positional) {
    std::vector<const CLI::Option*> result;
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional() == positional && !option->get_group().empty()) result.push_back(option);
    return result;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
    return select(command, false);
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
    return select(command, true);
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> result;
    for (const std::string& name : option.get_snames()) result.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) result.push_back("--" + name);
    return result;
}

bool takes_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();  // CLI::IsMember writes itself as {a,b,c}
    const std::size_t begin = type.find('{');
    const std::size_t end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
    return split(std::string_view(type).substr(begin + 1, end - begin - 1), ',');
}

std::vector<std::string> argument_choices(const CLI::App& command) {
    std::vector<std::string> result;
    for (const CLI::Option* argument : arguments_of(command))
        for (std::string& choice : choices_of(*argument)) result.push_back(std::move(choice));
    return result;
}

std::string completion_list(const CLI::App& command) {
    for (const CLI::Option* argument : arguments_of(command)) {
        if (argument->get_name() == "NODE") return "nodes";
        if (argument->get_name() == "NAME") return "clusters";
        if (argument->get_name() == "PATH") return "paths";
        if (argument->get_name() == "TARGET") return "targets";
    }
    return "";
}

}  // namespace ntblab::lab
