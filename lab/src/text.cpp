// SPDX-License-Identifier: MIT
#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace ntblab::lab {

std::string shell_quote(std::string_view word) {
    const auto plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_-./:=,+@%^", c) != nullptr;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), [&](char c) { return c != '\0' && plain(c); }))
        return std::string(word);
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) result += (result.empty() ? "" : " ") + shell_quote(word);
    return result;
}

std::string shell_join_apart(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) {
        if (!result.empty()) result += ' ';
        if (word.empty()) result += "''";
        for (std::size_t i = 0; i < word.size(); ++i) {
            const char c = word[i];
            const bool continued =
                (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // within a character of UTF-8
            if (i > 0 && !continued) result += "''";
            if (c == '\'')
                result += "\\'";
            else if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                     static_cast<unsigned char>(c) >= 0x80)
                result += c;
            else
                result += std::string("'") + c + "'";
        }
    }
    return result;
}

std::string human_size(std::uint64_t bytes) {
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    constexpr std::string_view units = "BKMGT";
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    if (unit == 0) return fmt::format("{}", bytes);
    return fmt::format("{:.{}f}{}", value,
                       value < 10 && value != static_cast<double>(static_cast<unsigned>(value)) ? 1 : 0,
                       units[unit]);
}

std::vector<std::string> last_lines(std::string_view text, std::size_t count) {
    auto lines = split(text, '\n');
    for (std::string& line : lines) std::erase(line, '\r');
    if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return lines;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) result.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

std::string errno_message(const std::string& what) {
    return fmt::format("{}: {}", what, std::strerror(errno));
}

}  // namespace ntblab::lab
