// SPDX-License-Identifier: MIT
#include "profile_edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/reader.h>

#include <sstream>

namespace ntblab::sim {
namespace {

tl::unexpected<Error> wrong(const std::string& path, const YAML::Mark& mark, const std::string& what) {
    return fail(fmt::format("{}:{}:{}: {}", path, mark.line + 1, mark.column + 1, what));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string flow_map(const NewValue& value) {
    std::string source;
    for (const char c : value.source) source += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return fmt::format("{{value: {:.10g}, status: {}, source: \"{}\"}}", value.value, value.status, source);
}

/// Where the mapping ends that begins with the brace at `begin`; npos if not on this line.
std::size_t end_of_map(const std::string& line, std::size_t begin) {
    bool quoted = false;
    for (std::size_t i = begin; i < line.size(); ++i) {
        if (line[i] == '"' && line[i - 1] != '\\') quoted = !quoted;
        if (line[i] == '}' && !quoted) return i + 1;
    }
    return std::string::npos;
}

}  // namespace

std::string parameter_line(const NewValue& value) {
    return fmt::format("  {}: {}", value.name, flow_map(value));
}

Result<std::string> with_parameters(const std::string& text, const std::string& path,
                                    const std::vector<NewValue>& values) {
    const auto document = topology::parse_yaml(text, path);
    if (!document) return tl::unexpected(document.error());
    const YAML::Node parameters = document->IsMap() ? (*document)["parameters"] : YAML::Node();
    if (!parameters.IsDefined() || !parameters.IsMap() || parameters.Style() == YAML::EmitterStyle::Flow)
        return wrong(path, YAML::Mark{},
                     "there are no parameters in lines of their own; expected 'parameters:', and "
                     "below it a line for each");
    std::vector<std::string> lines = lines_of(text);
    for (const NewValue& value : values) {
        const YAML::Node old = parameters[value.name];
        if (!old.IsDefined()) {
            lines.push_back(parameter_line(value));
            continue;
        }
        const YAML::Mark mark = old.Mark();
        std::string& line = lines.at(static_cast<std::size_t>(mark.line));
        const auto begin = static_cast<std::size_t>(mark.column);
        const std::size_t end =
            begin < line.size() && line[begin] == '{' ? end_of_map(line, begin) : std::string::npos;
        if (end == std::string::npos)
            return wrong(
                path, mark,
                fmt::format(
                    "{} is not written as {{value: ..., status: ..., source: ...}} on one line; write "
                    "it so, or put in by hand:\n{}",
                    value.name, parameter_line(value)));
        line.replace(begin, end - begin, flow_map(value));
    }
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace ntblab::sim
