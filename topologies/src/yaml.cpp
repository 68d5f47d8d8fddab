// SPDX-License-Identifier: MIT
// From text to a YAML document.
#include <fmt/format.h>

#include "topology/reader.h"

namespace ntblab::topology {
namespace {

/// A tab is the most frequent reason why text that looks right is no YAML, and the parser's words for it do
/// not say so.
std::string syntax_hint(const std::string& text, const YAML::Mark& mark) {
    std::size_t begin = 0;
    for (int line = 0; line < mark.line && begin != std::string::npos; ++line) {
        begin = text.find('\n', begin);
        if (begin != std::string::npos) ++begin;
    }
    if (begin == std::string::npos) return "";
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const std::string indent = line.substr(0, line.find_first_not_of(" \t"));
    return indent.find('\t') == std::string::npos
               ? ""
               : "; YAML is indented by spaces, this line begins with a tab";
}

}  // namespace

Result<YAML::Node> parse_yaml(const std::string& text, const std::string& path) {
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() > 1)
            return fail(fmt::format("{}:{}:1: a second YAML document begins; such a file has one", path,
                                    documents[1].Mark().line + 1));
        return documents.empty() ? YAML::Node() : documents[0];
    } catch (const YAML::Exception& error) {
        const YAML::Mark mark = error.mark.is_null() ? YAML::Mark{} : error.mark;
        return fail(fmt::format("{}:{}:{}: not YAML: {}{}", path, mark.line + 1, mark.column + 1, error.msg,
                                syntax_hint(text, mark)));
    }
}

}  // namespace ntblab::topology
