// SPDX-License-Identifier: MIT
#include "measure.h"

#include <fmt/format.h>
#include <topology/topology.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "formula.h"
#include "simulate.h"

namespace ntblab::sim {
namespace {

using Kind = Case::Kind;

/// Of one transfer after the other, without software.
constexpr std::array kOperations = {Operation::pio_write,   Operation::pio_read, Operation::pio_pingpong,
                                    Operation::dma_write,   Operation::dma_read, Operation::device_write,
                                    Operation::device_read, Operation::doorbell};

/// Everything that the runner needs to know, and all that is asked of it.
struct Run {
    const Case& of;
    pcie::Profile profile;
    unsigned generation, lanes;
    bool uncached, remote;
    bool iommu = false;
    std::uint64_t span = 1 << 20;
};

Point run_transfers(const Run& run, const CaseTraffic& traffic, std::uint64_t size) {
    auto topology = topology::parse(fmt::format("name: pair\nnodes: {{a: {{iommu: {}}}, b: {{}}}}\n"
                                                "switches: {{s: {{nt-pairs: [[a, b]]}}}}\n",
                                                run.iommu),
                                    "pair");
    if (!topology) throw std::invalid_argument(topology.error().message);
    // Not in the text: switches that are emulated end at Gen5, the model does not.
    for (auto& partition : topology->switches[0].partitions) partition.link = {run.generation, run.lanes};
    Workload workload{.operation = find_operation(traffic.operation).value(),
                      .transfers = traffic.transfers,
                      .warm_up = traffic.warm_up,
                      .bytes = std::numeric_limits<std::uint64_t>::max(),
                      .in_flight = traffic.in_flight,
                      .uncached = run.uncached,
                      .remote = run.remote,
                      .span = run.span};
    return simulate({*topology, run.profile}, workload, {{0, 1}}, size, {}).measured.all;
}

void set_parameters(pcie::Profile& profile, const std::map<std::string, double>& values) {
    for (const auto& [name, value] : values) pcie::find_parameter(name)->set(profile, value);
}

/// Picoseconds, or 1e9 bytes a second.
double measure(const Run& run, const Published& point) {
    const Point result = run_transfers(run, run.of.traffic, point.size);
    return run.of.measure == Case::Measure::rate ? result.rate() : static_cast<double>(result.median);
}

double simulated(const Case& one, const Published& point, const pcie::Profile& profile) {
    Run run{.of = one,
            .profile = profile,
            .generation = point.generation != 0 ? point.generation : one.generation,
            .lanes = point.lanes != 0 ? point.lanes : one.lanes,
            .uncached = one.traffic.uncached,
            .remote = one.traffic.remote};
    run.profile.generation = run.generation;
    run.profile.lanes = run.lanes;
    set_parameters(run.profile, one.parameters);
    double value = measure(run, point);
    if (one.has_less) {
        set_parameters(run.profile, one.less.parameters);
        run.uncached = one.less.uncached;
        run.remote = one.less.remote;
        value -= measure(run, point);
    }
    if (!one.plus.empty()) value += 1000 * pcie::find_parameter(one.plus)->get(profile);
    return value * unit_scale(one.unit, one.measure).value();
}

/// Reads of a line at a time through windows of memory, by an engine behind an IOMMU.
double iotlb(const Case& one, const Published& point, const pcie::Profile& profile) {
    constexpr unsigned kLine = 64;
    std::uint64_t knee = 0;
    for (std::uint64_t window = 64 << 10; window <= 1 << 20; window *= 2) {
        const auto lines = static_cast<unsigned>(window / kLine);
        const Point result =
            run_transfers({.of = one,
                           .profile = profile,
                           .generation = one.generation,
                           .lanes = one.lanes,
                           .uncached = false,
                           .remote = false,
                           .iommu = true,
                           .span = window},
                          {.operation = "device-read", .transfers = lines, .warm_up = lines}, kLine);
        // A page has many lines: all but a few hit.
        const auto extra = static_cast<double>(result.most - result.median) / 1000;
        const bool misses = extra > pcie::find_parameter("iommu.miss")->get(profile) / 2;
        if (misses) return point.of == "miss" ? extra : static_cast<double>(knee) / 1024;
        knee = window;
    }
    return point.of == "miss" ? 0 : static_cast<double>(knee) / 1024;
}

double wire(const Published& point) {
    if (point.of == "DLLP") return pcie::kDllpBytes;
    if (point.of == "CplD") return wire_cost(pcie::TlpType::completion);
    return wire_cost(point.of == "MRd" ? pcie::TlpType::memory_read : pcie::TlpType::memory_write);
}

double formula(const Case& one, const Published& point) {
    const Formula link{.generation = one.generation, .lanes = one.lanes};
    if (point.of == "read") return link.read_gigabits(point.size);
    return point.of == "write" ? link.write_gigabits(point.size) : link.both_gigabits(point.size);
}

}  // namespace

const std::vector<std::string>& operations() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Operation operation : kOperations) all.emplace_back(name_of(operation));
        return all;
    }();
    return names;
}

std::optional<double> unit_scale(const std::string& unit, Case::Measure measure) {
    if (measure == Case::Measure::latency) {
        if (unit == "ns") return 1e-3;
        if (unit == "us") return 1e-6;
    } else {
        if (unit == "Gb/s") return 8;
        if (unit == "MB/s") return 1000;
        if (unit == "GB/s") return 1;
    }
    return std::nullopt;
}

std::vector<double> evaluate(const Case& one, const pcie::Profile& profile) {
    std::vector<double> values;
    for (const Published& point : one.points) {
        double value = std::numeric_limits<double>::quiet_NaN();
        switch (one.kind) {
            case Kind::line_rate:
                value = pcie::Encoding(point.generation, point.lanes).gigabits();
                break;
            case Kind::wire_cost:
                value = wire(point);
                break;
            case Kind::formula:
                value = formula(one, point);
                break;
            case Kind::run:
                value = simulated(one, point, profile);
                break;
            case Kind::iotlb:
                value = iotlb(one, point, profile);
                break;
            case Kind::infiniband:
                value = infiniband_hdr(point.size);
                break;
            case Kind::reference:
                break;
        }
        values.push_back(value);
    }
    return values;
}

double misses_by(const Published& point, double model) {
    if (std::isnan(model)) return 0;
    const double error = model - point.value;
    switch (point.tolerance.kind) {
        case Tolerance::Kind::exact: {
            const auto dot = point.text.find('.');
            const std::size_t digits = dot == std::string::npos ? 0 : point.text.size() - dot - 1;
            return error / (0.5 * std::pow(10.0, -static_cast<double>(digits)));
        }
        case Tolerance::Kind::percent:
            return 100 * error / (point.value * point.tolerance.value);
        case Tolerance::Kind::absolute:
            return error / point.tolerance.value;
        case Tolerance::Kind::at_most:
            return error < 0 ? 0 : 1 + error / point.value;
        case Tolerance::Kind::band:
            return (2 * model - point.value - point.most) / (point.most - point.value);
    }
    return 0;
}

bool within(const Published& point, double model) {
    const double by = misses_by(point, model);
    // An upper bound that is met is passed: "less than".
    return point.tolerance.kind == Tolerance::Kind::at_most ? by < 1 : std::abs(by) <= 1;
}

}  // namespace ntblab::sim
