// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli_pages.h"
#include "cli_walk.h"
#include "text.h"

namespace ntblab::lab {
namespace {

std::string words_of(const CLI::App& command) {
    std::vector<std::string> words;
    for (const CLI::Option* option : options_of(command))
        for (const std::string& name : names_of(*option)) words.push_back(name);
    return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_case(const CLI::App& command) {
    std::string result;
    for (const CLI::Option* option : options_of(command)) {
        if (!takes_value(*option)) continue;
        std::vector<std::string> patterns;
        for (const std::string& name : names_of(*option)) patterns.push_back(command.get_name() + ":" + name);
        const auto choices = choices_of(*option);
        result += fmt::format("        {}) ", fmt::join(patterns, " | "));
        result += choices.empty() ? "return ;;\n" : fmt::format("choices='{}' ;;\n", fmt::join(choices, " "));
    }
    const std::string list = completion_list(command);
    const auto fixed = argument_choices(command);
    if (!fixed.empty())
        return result + fmt::format("        {}:*) choices='{} {}' ;;\n", command.get_name(),
                                    words_of(command), fmt::join(fixed, " "));
    if (list.empty())  // files, which bash itself completes
        return result + fmt::format("        {}:*) [[ $word == -* ]] && choices='{}' ;;\n",
                                    command.get_name(), words_of(command));
    return result +
           fmt::format("        {}:*) choices=\"{} $(ntblab completion --list {} 2>/dev/null)\" ;;\n",
                       command.get_name(), words_of(command), list);
}

std::string fish_option(std::string line, const CLI::Option& option) {
    for (const std::string& name : names_of(option))
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    const auto choices = choices_of(option);
    if (takes_value(option))
        line += choices.empty() ? " -r -F" : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
    return fmt::format("{} -d {}\n", line, shell_quote(option.get_description()));
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
    std::string cases;
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) {
        names.push_back(command->get_name());
        cases += bash_case(*command);
    }
    return fmt::format(
        R"(_ntblab() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= choices= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in
            --) return ;;
            -*) ;;
            *) command=${{command:-${{COMP_WORDS[i]}}}} ;;
        esac
    done
    case $command:$before in
        :*) choices='{} {}' ;;
{}    esac
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
}}
complete -o default -F _ntblab ntblab
)",
        fmt::join(names, " "), words_of(app), cases);
}

std::string fish_completion(const CLI::App& app) {
    std::string result = "complete -c ntblab -f\n";
    for (const CLI::Option* option : options_of(app))
        result += fish_option("complete -c ntblab -n __fish_use_subcommand", *option);
    for (const CLI::App* command : commands_of(app)) {
        result += fmt::format("complete -c ntblab -n __fish_use_subcommand -a {} -d {}\n",
                              command->get_name(), shell_quote(command->get_description()));
        const std::string condition =
            fmt::format("complete -c ntblab -n '__fish_seen_subcommand_from {}'", command->get_name());
        const std::string list = completion_list(*command);
        if (!list.empty()) result += fmt::format("{} -a '(ntblab completion --list {})'\n", condition, list);
        const auto fixed = argument_choices(*command);
        if (!fixed.empty())
            result += fmt::format("{} -a '{}'\n", condition, fmt::join(fixed, " "));
        else if (list.empty() || list == "paths")
            result += condition + " -F\n";
        for (const CLI::Option* option : options_of(*command)) result += fish_option(condition, *option);
    }
    return result;
}

}  // namespace ntblab::lab
