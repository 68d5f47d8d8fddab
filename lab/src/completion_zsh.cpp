// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli_pages.h"
#include "cli_walk.h"
#include "text.h"

namespace ntblab::lab {
namespace {

/// With a backslash before each of `special`.
std::string escaped(const std::string& text, const std::string& special) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || special.find(c) != std::string::npos) result += '\\';
        result += c;
    }
    return result;
}

/// What _arguments does to complete a value.
std::string action(const std::vector<std::string>& choices, const std::string& list) {
    if (!choices.empty()) return fmt::format("({})", fmt::join(choices, " "));
    return list.empty() ? "_files" : "_ntblab_list " + list;
}

/// An option as _arguments wants it: '(-f --follow)'{-f,--follow}'[text]:value:action'.
std::string option_spec(const CLI::Option& option) {
    std::vector<std::string> names = names_of(option);
    const bool several = option.get_items_expected_max() > 1;
    const std::string together = fmt::format("{}", fmt::join(names, " "));
    if (takes_value(option))
        for (std::string& name : names) name += name.starts_with("--") ? "=" : "+";
    std::string tail = fmt::format("[{}]", escaped(option.get_description(), "[]"));
    if (takes_value(option)) tail += ":value:" + action(choices_of(option), "");
    const std::string before = several ? "*" : names.size() > 1 ? fmt::format("({})", together) : "";
    if (names.size() == 1) return shell_quote(before + names[0] + tail);
    return fmt::format("{}{{{}}}{}", shell_quote(before), fmt::join(names, ","), shell_quote(tail));
}

std::string argument_spec(const CLI::Option& argument, const std::string& list) {
    const bool several = argument.get_items_expected_max() > 1;
    return shell_quote(fmt::format("{}:{}:{}", several ? "*" : "", escaped(argument.get_name(), ":"),
                                   action(choices_of(argument), list)));
}

std::string zsh_case(const CLI::App& command) {
    std::string result = fmt::format("        {})\n            _arguments", command.get_name());
    for (const CLI::Option* option : options_of(command))
        result += " \\\n                " + option_spec(*option);
    for (const CLI::Option* argument : arguments_of(command))
        result += " \\\n                " + argument_spec(*argument, completion_list(command));
    return result + "\n            ;;\n";
}

}  // namespace

std::string zsh_completion(const CLI::App& app) {
    std::string names;
    std::string cases;
    for (const CLI::App* command : commands_of(app)) {
        names += fmt::format("        {}\n", shell_quote(command->get_name() + ":" +
                                                         escaped(command->get_description(), ":")));
        cases += zsh_case(*command);
    }
    std::string options;
    for (const CLI::Option* option : options_of(app)) options += " " + option_spec(*option);
    return fmt::format(R"zsh(#compdef ntblab
_ntblab_list() {{
    local -a found
    found=(${{(f)"$(ntblab completion --list $1 2>/dev/null)"}})
    if [[ $1 == paths ]]; then
        compadd -S '' -a found
        _files
    else
        compadd -a found
    fi
}}

_ntblab() {{
    local curcontext=$curcontext state line
    local -a commands
    commands=(
{}    )
    _arguments -C{} '1:command:->command' '*::argument:->argument'
    [[ $state == command ]] && _describe -t commands command commands
    [[ $state == argument ]] || return
    # Words after "--" are a guest's.
    (( ${{words[(i)--]}} < CURRENT )) && return
    case $words[1] in
{}    esac
}}

if [[ $funcstack[1] == _ntblab ]]; then
    _ntblab "$@"
else
    compdef _ntblab ntblab
fi
)zsh",
                       names, options, cases);
}

}  // namespace ntblab::lab
