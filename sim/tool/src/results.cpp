// SPDX-License-Identifier: MIT
#include "results.h"

#include <fmt/format.h>

#include <iterator>

namespace ntblab::sim {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const Point& point) {
    return {{"size", point.size},
            {"transfers", point.transfers},
            {"bytes", point.bytes},
            {"latency_ps",
             {{"min", point.least},
              {"median", point.median},
              {"mean", point.mean},
              {"p99", point.p99},
              {"max", point.most}}},
            {"elapsed_ps", point.elapsed},
            {"gigabytes_per_second", point.rate()}};
}

/// As RFC 4180 has it: quoted where it has to be.
std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
}

std::string cell(const Json& value) {
    return quoted(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

Json outcome_json(const Outcome& outcome, const topology::Topology& topology) {
    Json json = point_json(outcome.measured.all);
    Json flows = Json::array();
    for (const auto& [flow, point] : outcome.measured.flows) {
        Json own = {{"from", topology.nodes[flow.from].name}, {"to", topology.nodes[flow.to].name}};
        own.update(point_json(point));
        flows.push_back(std::move(own));
    }
    json["flows"] = std::move(flows);
    if (outcome.measured.doorbells > 0) json["doorbells"] = outcome.measured.doorbells;
    json["statistics"] = outcome.statistics;
    json["violations"] = outcome.violations;
    return json;
}

std::string results_csv(const Json& runs) {
    std::string text;
    for (const Json& run : runs) {
        const Json& conditions = run.at("conditions");
        if (text.empty()) {
            for (const auto& [key, value] : conditions.items()) text += quoted(key) + ",";
            text +=
                "size,transfers,bytes,latency_min_ps,latency_median_ps,latency_mean_ps,latency_p99_ps,"
                "latency_max_ps,elapsed_ps,gigabytes_per_second\n";
        }
        for (const Json& point : run.at("points")) {
            for (const auto& [key, value] : conditions.items()) text += cell(value) + ",";
            const Json& latency = point.at("latency_ps");
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", cell(point["size"]),
                           cell(point["transfers"]), cell(point["bytes"]), cell(latency["min"]),
                           cell(latency["median"]), cell(latency["mean"]), cell(latency["p99"]),
                           cell(latency["max"]), cell(point["elapsed_ps"]),
                           cell(point["gigabytes_per_second"]));
        }
    }
    return text;
}

std::string results_table(const Json& run) {
    std::string text = fmt::format("{:>12} {:>10} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "bytes", "transfers",
                                   "min ns", "median ns", "p99 ns", "max ns", "GB/s");
    for (const Json& point : run.at("points")) {
        const auto ns = [&](const char* key) { return point["latency_ps"][key].get<double>() / 1000; };
        fmt::format_to(std::back_inserter(text),
                       "{:>12} {:>10} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f} {:>10.3f}\n",
                       point["size"].get<std::uint64_t>(), point["transfers"].get<std::uint64_t>(), ns("min"),
                       ns("median"), ns("p99"), ns("max"), point["gigabytes_per_second"].get<double>());
    }
    return text;
}

}  // namespace ntblab::sim
