// SPDX-License-Identifier: MIT
#include "job.h"

#include <fmt/format.h>
#include <topology/suggest.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "data_files.h"
#include "pcie/simulation.h"

namespace ntblab::sim {
namespace {

Result<double> set_parameter(pcie::Profile& profile, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const pcie::Parameter* parameter = pcie::find_parameter(name);
    if (parameter == nullptr) {
        std::vector<std::string> names;
        for (const auto& known : pcie::parameters()) names.emplace_back(known.name);
        const std::string guess = topology::nearest(name, names);
        return fail(fmt::format("there is no parameter '{}'; {}`ntb-sim profiles PROFILE` lists them", name,
                                guess.empty() ? "" : fmt::format("did you mean '{}'? ", guess)));
    }
    const std::string value_text = equals == std::string::npos ? "" : text.substr(equals + 1);
    double value = 0;
    const char* end = value_text.data() + value_text.size();
    const auto parsed = std::from_chars(value_text.data(), end, value);
    const bool infinite = parameter->may_be_infinite && value_text == "infinite";
    if (infinite) value = std::numeric_limits<double>::infinity();
    if (!infinite && (parsed.ec != std::errc() || parsed.ptr != end ||
                      !(value >= parameter->least && value <= parameter->most)))
        return fail(fmt::format("parameter {} is '{}'; expected a number from {} to {}{}{}{}", name,
                                value_text, parameter->least, parameter->most,
                                parameter->unit.empty() ? "" : " ", parameter->unit,
                                parameter->may_be_infinite ? ", or infinite" : ""));
    if (const std::string why = pcie::refusal(*parameter, value); !infinite && !why.empty())
        return fail(fmt::format("parameter {} is {}: {}", name, value_text, why));
    parameter->set(profile, value);
    return value;
}

Result<void> override_workload(Workload& workload, const JobRequest& request) {
    if (request.sizes) {
        auto sizes = parse_sizes(*request.sizes);
        if (!sizes) return tl::unexpected(sizes.error());
        workload.sizes = std::move(*sizes);
    }
    workload.from = request.from.value_or(workload.from);
    workload.to = request.to.value_or(workload.to);
    if (request.transfers) {
        workload.transfers = *request.transfers;
        workload.bytes = std::numeric_limits<std::uint64_t>::max();
    }
    workload.warm_up = request.warm_up.value_or(workload.warm_up);
    workload.in_flight = request.in_flight.value_or(workload.in_flight);
    return {};
}

/// Whether the hardware can be made at all.
Result<void> try_out(const Hardware& hardware) {
    if (const auto found = pcie::conflicts(hardware.profile); !found.empty())
        return fail(fmt::format("profile '{}': {}", hardware.profile.name, found.front().message));
    try {
        const pcie::Simulation simulation;
        const pcie::System system("system", hardware.topology, hardware.profile, {});
    } catch (const std::invalid_argument& error) {
        return fail(fmt::format("profile '{}' with topology '{}': {}", hardware.profile.name,
                                hardware.topology.name, error.what()));
    }
    return {};
}

}  // namespace

std::vector<std::uint64_t> Job::sizes() const {
    return workload.operation == Operation::trace ? std::vector<std::uint64_t>{0} : workload.sizes;
}

Result<Job> load_job(const JobRequest& request) {
    auto topology = topology::load(request.topology);
    if (!topology) return tl::unexpected(topology.error());
    auto profile = pcie::load_profile(request.profile, data_folder("profiles").string());
    if (!profile) return tl::unexpected(profile.error());
    auto workload = load_workload(request.workload, data_folder("workloads"));
    if (!workload) return tl::unexpected(workload.error());
    if (auto done = override_workload(*workload, request); !done) return tl::unexpected(done.error());

    Job job;
    job.conditions = {{"topology", topology->name},       {"profile", profile->name},
                      {"workload", workload->name},       {"operation", name_of(workload->operation)},
                      {"in_flight", workload->in_flight}, {"seed", request.seed}};
    for (const std::string& text : request.set) {
        const auto value = set_parameter(*profile, text);
        if (!value) return tl::unexpected(value.error());
        job.conditions[text.substr(0, text.find('='))] = *value;
    }
    job.hardware = {std::move(*topology), std::move(*profile), request.seed, request.check};
    job.workload = std::move(*workload);
    if (auto made = try_out(job.hardware); !made) return tl::unexpected(made.error());
    if (job.workload.operation == Operation::trace) {
        auto requests = load_trace(job.workload.trace, job.hardware.topology, job.hardware.profile);
        if (!requests) return tl::unexpected(requests.error());
        job.requests = std::move(*requests);
    } else {
        auto flows = flows_of(job.workload, job.hardware.topology, request.seed);
        if (!flows) return tl::unexpected(flows.error());
        job.flows = std::move(*flows);
    }
    return job;
}

Outcome run_point(const Job& job, std::uint64_t size, const Hooks& hooks) {
    return job.workload.operation == Operation::trace
               ? replay(job.hardware, job.requests, hooks)
               : simulate(job.hardware, job.workload, job.flows, size, hooks);
}

}  // namespace ntblab::sim
