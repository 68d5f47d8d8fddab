// SPDX-License-Identifier: MIT
#include "read_validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <array>

namespace ntblab::topology {
namespace {

constexpr std::size_t kMostSteps = 1000;
constexpr std::size_t kMostWords = 1000;
constexpr unsigned kLongest = 86400;

/// A text is for a shell; a list is the words themselves.
std::vector<std::string> read_command(Reader& reader, const YAML::Node& node, const std::string& what) {
    if (!node.IsSequence()) {
        const auto text = reader.string(node, what);
        return text ? std::vector<std::string>{"sh", "-c", *text} : std::vector<std::string>();
    }
    std::vector<std::string> words;
    for (const YAML::Node& item : reader.sequence(node, what, 1, kMostWords))
        if (auto word = reader.string(item, "a word of " + what)) words.push_back(std::move(*word));
    return words;
}

void check_pattern(Reader& reader, const YAML::Node& node, const std::string& what,
                   const std::string& pattern) {
    regex_t compiled{};
    const int error = ::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NEWLINE | REG_NOSUB);
    if (error == 0) return ::regfree(&compiled);
    std::array<char, 256> reason{};
    ::regerror(error, &compiled, reason.data(), reason.size());
    reader.diagnostics().error(
        node.Mark(), fmt::format("{} is '{}', which is no POSIX extended regular expression: {}", what,
                                 pattern, reason.data()));
}

void read_output(Reader& reader, const YAML::Node& node, const std::string& what, Step& step) {
    const Fields fields = reader.mapping(node, what, {"exact", "contains", "regex"});
    if (node.IsMap() && node.size() == 0)
        reader.diagnostics().error(node.Mark(), what + " says nothing; expected exact, contains or regex");
    if (const auto* exact = fields.find("exact")) step.exact = reader.string(*exact, "exact of " + what);
    if (const auto* contains = fields.find("contains"))
        step.contains = reader.string(*contains, "contains of " + what);
    if (const auto* regex = fields.find("regex")) {
        step.regex = reader.string(*regex, "regex of " + what);
        if (step.regex) check_pattern(reader, *regex, "regex of " + what, *step.regex);
    }
}

void read_step(Reader& reader, const YAML::Node& node, const std::string& what,
               std::vector<StepSettings>& result) {
    const Fields fields =
        reader.mapping(node, what, {"name", "node", "command", "exit-code", "output", "timeout"});
    StepSettings settings;
    settings.where = node.Mark();
    Step& step = settings.step;
    if (const auto* name = fields.find("name"))
        step.name = reader.string(*name, "name of " + what).value_or("");
    bool shell = false;
    if (const auto* command = fields.find("command")) {
        step.words = read_command(reader, *command, "command of " + what);
        shell = !command->IsSequence() && !step.words.empty();
    }
    if (const auto* code = fields.find("exit-code"))
        step.exit_code = static_cast<int>(reader.integer(*code, "exit-code of " + what, 0, 255).value_or(0));
    if (const auto* output = fields.find("output")) read_output(reader, *output, "output of " + what, step);
    if (const auto* timeout = fields.find("timeout"))
        step.timeout = reader.integer(*timeout, "timeout of " + what, 1, kLongest).value_or(step.timeout);
    if (const auto* name = fields.find("node")) {
        settings.node = reader.name(*name, "node of " + what).value_or("");
        settings.where = name->Mark();
    }
    for (const char* needed : {"node", "command"})
        if (node.IsMap() && !fields.find(needed))
            reader.diagnostics().error(node.Mark(), fmt::format("{} has no '{}'; add it", what, needed));
    if (step.name.empty())
        step.name = fmt::format("{}: {}", settings.node,
                                shell ? step.words.back() : fmt::format("{}", fmt::join(step.words, " ")));
    result.push_back(std::move(settings));
}

}  // namespace

std::vector<StepSettings> read_validate(Reader& reader, const YAML::Node& node) {
    std::vector<StepSettings> result;
    unsigned index = 0;
    for (const YAML::Node& step : reader.sequence(node, "'validate'", 1, kMostSteps))
        read_step(reader, step, fmt::format("validate[{}]", index++), result);
    return result;
}

}  // namespace ntblab::topology
