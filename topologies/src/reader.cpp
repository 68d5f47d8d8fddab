// SPDX-License-Identifier: MIT
#include "topology/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <regex>

#include "topology/suggest.h"
#include "topology/topology.h"

namespace ntblab::topology {
namespace {

enum class Kind { missing, null, boolean, integer, real, text, list, mapping };

Kind plain_kind(const std::string& scalar) {
    static const std::regex integer("[-+]?[0-9]+");
    static const std::regex real(
        "[-+]?([.][0-9]+|[0-9]+([.][0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?[.](inf|Inf|INF)|[.](nan|NaN|NAN)");
    if (scalar == "true" || scalar == "True" || scalar == "TRUE") return Kind::boolean;
    if (scalar == "false" || scalar == "False" || scalar == "FALSE") return Kind::boolean;
    if (scalar.empty() || scalar == "~" || scalar == "null" || scalar == "Null" || scalar == "NULL")
        return Kind::null;
    if (scalar.size() > 64) return Kind::text;
    if (std::regex_match(scalar, integer)) return Kind::integer;
    if (std::regex_match(scalar, real)) return Kind::real;
    return Kind::text;
}

Kind kind_of(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Undefined:
            return Kind::missing;
        case YAML::NodeType::Null:
            return Kind::null;
        case YAML::NodeType::Sequence:
            return Kind::list;
        case YAML::NodeType::Map:
            return Kind::mapping;
        case YAML::NodeType::Scalar:
            break;
    }
    return node.Tag() == "?" || node.Tag().empty() ? plain_kind(node.Scalar()) : Kind::text;
}

std::string shortened(const std::string& text) {
    std::string result;
    for (const char c : text.substr(0, 60)) result += c < ' ' || c == 0x7f ? '?' : c;
    return text.size() > 60 ? result + "..." : result;
}

}  // namespace

std::string describe(const YAML::Node& node) {
    switch (kind_of(node)) {
        case Kind::missing:
        case Kind::null:
            return "nothing";
        case Kind::boolean:
            return node.Scalar();
        case Kind::integer:
        case Kind::real:
            return "the number " + shortened(node.Scalar());
        case Kind::text:
            return "the text '" + shortened(node.Scalar()) + "'";
        case Kind::list:
            return "a list";
        case Kind::mapping:
            return "a mapping";
    }
    return "nothing";
}

tl::expected<std::uint64_t, std::errc> parse_size(std::string_view text) {
    static constexpr std::string_view kUnits = "KMGT";
    std::uint64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    const std::size_t index = unit.size() == 1 ? kUnits.find(unit[0]) : std::string_view::npos;
    if (error == std::errc::invalid_argument || (!unit.empty() && index == std::string_view::npos))
        return tl::unexpected(std::errc::invalid_argument);
    const std::size_t shift = unit.empty() ? 0 : 10 * (index + 1);
    if (error != std::errc{} || value > UINT64_MAX >> shift)
        return tl::unexpected(std::errc::result_out_of_range);
    return value << shift;
}

std::string format_size(std::uint64_t bytes) {
    static constexpr char units[] = "TGMK";
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned shift = 40 - 10 * i;
        if (bytes != 0 && bytes % (1ULL << shift) == 0) return fmt::format("{}{}", bytes >> shift, units[i]);
    }
    return fmt::format("{}", bytes);
}

const YAML::Node* Fields::find(const std::string& key) const {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const Field& field) { return field.key == key; });
    return found == entries.end() ? nullptr : &found->value;
}

void Reader::wrong_type(const YAML::Node& node, const std::string& what, const std::string& expected) {
    diagnostics_.error(node.Mark(), fmt::format("{} is {}; expected {}", what, describe(node), expected));
}

std::vector<Field> Reader::entries(const YAML::Node& node, const std::string& what) {
    std::vector<Field> result;
    if (kind_of(node) != Kind::mapping) {
        wrong_type(node, what, "a mapping (key: value)");
        return result;
    }
    std::map<std::string, YAML::Mark> seen;
    for (const auto& entry : node) {
        if (kind_of(entry.first) != Kind::text) {
            diagnostics_.error(entry.first.Mark(),
                               fmt::format("a key of {} is {}; expected text (quote it if it is meant so)",
                                           what, describe(entry.first)));
            continue;
        }
        const std::string& key = entry.first.Scalar();
        const auto [first, is_new] = seen.emplace(key, entry.first.Mark());
        if (!is_new) {
            diagnostics_.error(
                entry.first.Mark(),
                fmt::format("'{}' is given twice in {}; the first is at line {}: keep one of them",
                            shortened(key), what, first->second.line + 1));
            continue;
        }
        result.push_back({key, entry.first.Mark(), entry.second});
    }
    return result;
}

Fields Reader::mapping(const YAML::Node& node, const std::string& what,
                       const std::vector<std::string>& known) {
    Fields result;
    for (Field& field : entries(node, what)) {
        if (std::find(known.begin(), known.end(), field.key) != known.end()) {
            result.entries.push_back(std::move(field));
            continue;
        }
        const std::string guess = nearest(field.key, known);
        diagnostics_.error(
            field.where, fmt::format("unknown key '{}' in {}; {}", shortened(field.key), what,
                                     guess.empty() ? fmt::format("expected one of {}", fmt::join(known, ", "))
                                                   : fmt::format("did you mean '{}'?", guess)));
    }
    return result;
}

Fields Reader::named(const YAML::Node& node, const std::string& what, const std::string& kind) {
    Fields result;
    for (Field& field : entries(node, what)) {
        if (valid_name(field.key)) {
            result.entries.push_back(std::move(field));
            continue;
        }
        diagnostics_.error(
            field.where,
            fmt::format("'{}' cannot name a {}; use lower-case letters, digits and inner hyphens, "
                        "at most 32 characters",
                        shortened(field.key), kind));
    }
    return result;
}

std::vector<YAML::Node> Reader::sequence(const YAML::Node& node, const std::string& what, std::size_t least,
                                         std::size_t most) {
    const std::string expected = least == most ? fmt::format("a list of {} items", least)
                                               : fmt::format("a list of {} to {} items", least, most);
    if (kind_of(node) != Kind::list) {
        wrong_type(node, what, expected);
        return {};
    }
    if (node.size() < least || node.size() > most) {
        diagnostics_.error(node.Mark(),
                           fmt::format("{} has {} items; expected {}", what, node.size(), expected));
        return {};
    }
    return {node.begin(), node.end()};
}

std::optional<std::string> Reader::string(const YAML::Node& node, const std::string& what) {
    if (kind_of(node) == Kind::text) return node.Scalar();
    wrong_type(node, what, "text (quote it if it is meant so)");
    return std::nullopt;
}

std::optional<std::string> Reader::word(const YAML::Node& node, const std::string& what,
                                        const std::vector<std::string>& known) {
    auto result = string(node, what);
    if (!result || std::ranges::find(known, *result) != known.end()) return result;
    const std::string guess = nearest(*result, known);
    diagnostics_.error(node.Mark(),
                       fmt::format("{} is '{}'; {}", what, shortened(*result),
                                   guess.empty() ? fmt::format("expected {}", fmt::join(known, " or "))
                                                 : fmt::format("did you mean '{}'?", guess)));
    return std::nullopt;
}

std::optional<std::string> Reader::name(const YAML::Node& node, const std::string& what) {
    auto result = string(node, what);
    if (!result || valid_name(*result)) return result;
    diagnostics_.error(
        node.Mark(), fmt::format("{} is '{}'; expected lower-case letters, digits and inner hyphens, at most "
                                 "32 characters",
                                 what, shortened(*result)));
    return std::nullopt;
}

std::optional<bool> Reader::boolean(const YAML::Node& node, const std::string& what) {
    if (kind_of(node) == Kind::boolean) return node.Scalar()[0] == 't' || node.Scalar()[0] == 'T';
    wrong_type(node, what, "true or false");
    return std::nullopt;
}

std::optional<unsigned> Reader::integer(const YAML::Node& node, const std::string& what, unsigned least,
                                        unsigned most) {
    if (kind_of(node) != Kind::integer) {
        wrong_type(node, what, fmt::format("a whole number from {} to {}", least, most));
        return std::nullopt;
    }
    const std::string& text = node.Scalar();
    const char* first = text.data() + (text[0] == '+' ? 1 : 0);
    long long value = 0;
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    if (error != std::errc{} || value < least || value > most) {
        diagnostics_.error(node.Mark(),
                           fmt::format("{} is {}; expected {} to {}", what, shortened(text), least, most));
        return std::nullopt;
    }
    return static_cast<unsigned>(value);
}

std::optional<double> Reader::number(const YAML::Node& node, const std::string& what, double least,
                                     double most) {
    const Kind kind = kind_of(node);
    if (kind != Kind::integer && kind != Kind::real) {
        wrong_type(node, what, fmt::format("a number from {} to {}", least, most));
        return std::nullopt;
    }
    const std::string& text = node.Scalar();
    const char* first = text.data() + (text[0] == '+' ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) {
        diagnostics_.error(node.Mark(),
                           fmt::format("{} is {}; expected {} to {}", what, shortened(text), least, most));
        return std::nullopt;
    }
    return value;
}

std::optional<std::uint64_t> Reader::size(const YAML::Node& node, const std::string& what) {
    const Kind kind = kind_of(node);
    const auto value = kind == Kind::integer || kind == Kind::text
                           ? parse_size(node.Scalar())
                           : tl::unexpected(std::errc::invalid_argument);
    if (value) return *value;
    if (value.error() == std::errc::invalid_argument)
        wrong_type(node, what, "a size: digits with an optional K, M, G or T, such as 64M or 1G");
    else
        diagnostics_.error(node.Mark(), fmt::format("{} is {}; that is more than 64 bits hold", what,
                                                    shortened(node.Scalar())));
    return std::nullopt;
}

}  // namespace ntblab::topology
