// SPDX-License-Identifier: MIT
#include "step_result.h"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <string_view>

#include "text.h"

namespace ntblab::lab {
namespace {

constexpr std::size_t kShownBytes = 200;

std::string_view without_end(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

/// For a message: its beginning, on one line.
std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (const char c : text.substr(0, kShownBytes))
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    return result + (text.size() > kShownBytes ? "'..." : "'");
}

/// The loader has seen that the pattern compiles. Bytes after a NUL of the output are not searched.
bool found_in(const std::string& pattern, const std::string& text) {
    regex_t compiled{};
    if (::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NEWLINE | REG_NOSUB) != 0) return false;
    const bool found = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
    ::regfree(&compiled);
    return found;
}

}  // namespace

std::vector<std::string> judge(const topology::Step& step, int exit_code, const std::string& output) {
    std::vector<std::string> result;
    if (exit_code != step.exit_code)
        result.push_back(fmt::format("exit code {}, expected {}", exit_code, step.exit_code));
    const std::string_view text = without_end(output);
    if (step.exact && text != without_end(*step.exact))
        result.push_back(
            fmt::format("output is {}, expected {}", in_quotes(text), in_quotes(without_end(*step.exact))));
    if (step.contains && output.find(*step.contains) == std::string::npos)
        result.push_back(fmt::format("output is {}, which does not contain {}", in_quotes(text),
                                     in_quotes(*step.contains)));
    if (step.regex && !found_in(*step.regex, output))
        result.push_back(fmt::format("output is {}, in which the regular expression {} finds nothing",
                                     in_quotes(text), in_quotes(*step.regex)));
    return result;
}

}  // namespace ntblab::lab
