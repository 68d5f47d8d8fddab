// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "step_result.h"

namespace ntblab::lab {
namespace {

using boost::property_tree::ptree;
using nlohmann::json;

constexpr std::size_t kKeptBytes = 64 << 10;

/// Valid UTF-8 of the characters that XML 1.0 knows.
std::string xml_text(const std::string& bytes) {
    const std::string end =
        bytes.size() > kKeptBytes ? "[...]" + bytes.substr(bytes.size() - kKeptBytes) : bytes;
    const auto valid =
        json::parse(json(end).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
    std::string result;
    for (const char c : valid) {
        const bool control = static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r';
        result += control ? std::string("\xef\xbf\xbd") : std::string(1, c);
    }
    return result;
}

void add_failure(ptree& entry, const char* kind, const std::string& message) {
    ptree& failure = entry.add(kind, xml_text(message));
    failure.put("<xmlattr>.message", xml_text(message.substr(0, message.find('\n'))));
}

ptree test_case(const std::string& suite, const StepResult& result) {
    ptree entry;
    entry.put("<xmlattr>.classname", suite + "." + result.node);
    entry.put("<xmlattr>.name", xml_text(result.name));
    entry.put("<xmlattr>.time", fmt::format("{:.3f}", result.seconds));
    if (!result.broken.empty())
        add_failure(entry, "error", result.broken);
    else if (!result.complaints.empty())
        add_failure(entry, "failure", fmt::format("{}", fmt::join(result.complaints, "\n")));
    if (!result.output.empty()) entry.add("system-out", xml_text(result.output));
    if (!result.error.empty()) entry.add("system-err", xml_text(result.error));
    return entry;
}

}  // namespace

std::string junit_report(const std::string& suite, const std::vector<StepResult>& results) {
    ptree document;
    ptree& root = document.add("testsuites.testsuite", "");
    double seconds = 0;
    std::size_t broken = 0;
    std::size_t failed = 0;
    for (const StepResult& result : results) {
        seconds += result.seconds;
        if (!result.broken.empty())
            ++broken;
        else if (!result.complaints.empty())
            ++failed;
    }
    root.put("<xmlattr>.name", suite);
    root.put("<xmlattr>.tests", results.size());
    root.put("<xmlattr>.failures", failed);
    root.put("<xmlattr>.errors", broken);
    root.put("<xmlattr>.time", fmt::format("{:.3f}", seconds));
    for (const StepResult& result : results) root.add_child("testcase", test_case(suite, result));
    std::ostringstream stream;
    boost::property_tree::write_xml(stream, document);
    return stream.str() + "\n";
}

}  // namespace ntblab::lab
