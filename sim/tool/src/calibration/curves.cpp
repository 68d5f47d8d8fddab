// SPDX-License-Identifier: MIT
#include "curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "measure.h"

namespace ntblab::sim {
namespace {

/// Cases that one curve goes through: the same run, but for its size.
using Group = std::vector<const Case*>;

std::string name_of(const Case& one) {
    return fmt::format("{}-{}-{}", one.profile, one.traffic.operation,
                       one.measure == Case::Measure::rate ? "rate" : "latency");
}

bool is_of_sizes(const Case& one) {
    return one.kind == Case::Kind::run && !one.has_less && one.parameters.empty() && one.plus.empty() &&
           std::ranges::all_of(one.points, [](const Published& point) { return point.generation == 0; });
}

std::set<std::uint64_t> sizes_of(const Group& group) {
    std::set<std::uint64_t> sizes;
    for (const Case* one : group)
        for (const Published& point : one->points) sizes.insert(point.size);
    return sizes;
}

Panel panel_of(const Group& group, const pcie::Profile& profile) {
    const Case& first = *group.front();
    std::set<std::uint64_t> sizes = sizes_of(group);
    for (std::uint64_t size = *sizes.begin(); size < *sizes.rbegin(); size *= 2) sizes.insert(size);
    Case curve = first;
    curve.points.clear();
    for (const std::uint64_t size : sizes) curve.points.push_back({.size = size});
    const std::vector<double> values = evaluate(curve, profile);
    Curve model{"model", {}, false}, measured{"measured", {}, true};
    for (std::size_t i = 0; i < values.size(); ++i)
        model.points.emplace_back(static_cast<double>(curve.points[i].size), values[i]);
    for (const Case* one : group)
        for (const Published& point : one->points)
            measured.points.emplace_back(static_cast<double>(point.size), point.value);
    return {fmt::format("{}, {}: {}", first.profile, first.traffic.operation, first.source),
            "bytes",
            first.unit,
            {std::move(model), std::move(measured)}};
}

}  // namespace

std::vector<CurvePicture> curves(const Calibration& calibration,
                                 const std::map<std::string, pcie::Profile>& profiles,
                                 const std::string& only) {
    std::map<std::string, Group> groups;
    for (const Case& one : calibration.cases)
        if (is_of_sizes(one) && (only.empty() || one.profile == only)) groups[name_of(one)].push_back(&one);
    std::vector<CurvePicture> pictures;
    for (const auto& [name, group] : groups)
        if (sizes_of(group).size() > 1)
            pictures.push_back({name, panel_of(group, profiles.at(group.front()->profile))});
    return pictures;
}

}  // namespace ntblab::sim
