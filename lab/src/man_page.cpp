// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "cli_pages.h"
#include "cli_walk.h"

namespace ntblab::lab {
namespace {

using Entry = std::pair<const char*, const char*>;

constexpr std::array<Entry, 8> kExitCodes = {{
    {"0", "done"},
    {"1", "failed; the message says why"},
    {"2", "wrong usage"},
    {"3", "no such cluster or node, or the name is that of several"},
    {"4", "in use: the cluster is already up, the node runs already, or another ntblab is at it"},
    {"125",
     "exec, run, ssh, test: the command could not be run, the cluster not be started or ended, or the "
     "connection broke; "
     "whatever the reason"},
    {"128+N", "ended by signal N"},
    {"others", "exec, run: the command's own, 128+N if signal N ended it"},
}};

constexpr std::array<Entry, 3> kEnvironment = {{
    {"NTBLAB_RUN_DIR",
     "directory below which clusters live (default: $XDG_RUNTIME_DIR/ntblab-UID or /tmp/ntblab-UID)"},
    {"NTBLAB_SHARE", "directory of QEMU, kernel and image (default: ../share/ntblab of ntblab's own)"},
    {"XDG_CACHE_HOME", "below it, ntblab/failed keeps the logs of failed starts (default: ~/.cache)"},
}};

/// What is read from the environment: beside the above, what stands for options.
std::vector<std::pair<std::string, std::string>> environment_of(const CLI::App& app) {
    std::vector<std::pair<std::string, std::string>> result(kEnvironment.begin(), kEnvironment.end());
    std::map<std::string, std::pair<std::string, std::vector<std::string>>> options;
    for (const CLI::App* command : commands_of(app))
        for (const CLI::Option* option : options_of(*command)) {
            if (option->get_envname().empty()) continue;
            auto& [name, commands] = options[option->get_envname()];
            name = names_of(*option).back();
            commands.push_back(command->get_name());
        }
    for (const auto& [variable, use] : options)
        result.emplace_back(variable, fmt::format("stands for {} of {} where that is not given", use.first,
                                                  fmt::join(use.second, ", ")));
    return result;
}

/// Text that troff prints as it is.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
            result += std::string("\\&") + c;
        else
            result += c;
    }
    return result;
}

std::string item(const std::string& term, const std::string& text) {
    return fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(text));
}

std::string synopsis(const CLI::App& command) {
    std::string result = command.get_name();
    for (const CLI::Option* argument : arguments_of(command)) {
        const std::string name = argument->get_name() + (argument->get_items_expected_max() > 1 ? "..." : "");
        result += argument->get_required() ? " " + name : " [" + name + "]";
    }
    return result +
           (command.get_name() == "exec" || command.get_name() == "run" ? " -- COMMAND [ARGUMENT...]" : "");
}

std::string describe(const CLI::Option& option) {
    std::string text = option.get_description();
    if (!option.get_default_str().empty()) text += fmt::format(" (default: {})", option.get_default_str());
    if (!option.get_envname().empty()) text += fmt::format(" [environment: {}]", option.get_envname());
    return text;
}

std::string describe(const CLI::App& command) {
    std::string result =
        fmt::format(".SS {}\n{}.\n", escaped(synopsis(command)), escaped(command.get_description()));
    for (const CLI::Option* argument : arguments_of(command))
        result += item(argument->get_name(), describe(*argument));
    for (const CLI::Option* option : options_of(command)) {
        if (option->get_lnames() == std::vector<std::string>{"help"}) continue;
        const auto choices = choices_of(*option);
        const std::string value = !takes_value(*option) ? ""
                                  : choices.empty()     ? " VALUE"
                                                        : fmt::format(" {}", fmt::join(choices, "|"));
        result += item(fmt::format("{}{}", fmt::join(names_of(*option), ", "), value), describe(*option));
    }
    if (!command.get_footer().empty()) result += ".PP\n" + escaped(command.get_footer()) + "\n";
    return result;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
    std::string result = fmt::format(
        ".TH NTBLAB 1 \"\" \"ntblab {}\"\n.SH NAME\nntblab \\- {}\n.SH SYNOPSIS\n.B ntblab\nCOMMAND "
        "[OPTIONS] "
        "[ARGUMENTS]\n.SH DESCRIPTION\n{}\nA NODE is the name of a node, or CLUSTER/NODE where several "
        "clusters have one of that "
        "name.\n.SH COMMANDS\n",
        escaped(version), "virtual machines joined by an emulated PCIe non\\-transparent bridge",
        escaped(app.get_description()));
    for (const CLI::App* command : commands_of(app)) result += describe(*command);
    result += ".SH EXIT STATUS\n";
    for (const auto& [code, meaning] : kExitCodes) result += item(code, meaning);
    result += ".SH ENVIRONMENT\n";
    for (const auto& [name, meaning] : environment_of(app)) result += item(name, meaning);
    return result;
}

std::string help_footer(const CLI::App& app) {
    std::string result =
        "A NODE is the name of a node, or CLUSTER/NODE where several clusters have one of that name.\nExit "
        "codes:\n";
    for (const auto& [code, meaning] : kExitCodes) result += fmt::format("  {:<7} {}\n", code, meaning);
    result += "Environment:\n";
    for (const auto& [name, meaning] : environment_of(app))
        result += fmt::format("  {}: {}\n", name, meaning);
    return result + "`ntblab man | man -l -` shows all of it.";
}

}  // namespace ntblab::lab
