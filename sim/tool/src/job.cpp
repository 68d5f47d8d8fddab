// SPDX-License-Identifier: MIT
#include "job.h"

#include <fmt/format.h>
#include <topology/suggest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "together.h"

namespace ntblab::sim {

Result<std::pair<std::string, double>> set_parameter(pcie::Profile& profile, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const pcie::Parameter* parameter = pcie::find_parameter(name);
    if (parameter == nullptr) {
        std::vector<std::string> names;
        for (const auto& known : pcie::parameters()) names.emplace_back(known.name);
        return fail(fmt::format("there is no parameter '{}'; {}`ntb-sim profiles PROFILE` lists them", name,
                                topology::did_you_mean(name, names)));
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
    return std::pair(name, value);
}

Result<void> override_workload(Workload& workload, const JobRequest& request) {
    const std::array given = {
        std::pair{"sizes", request.sizes.has_value()},
        std::pair{"from", request.from.has_value()},
        std::pair{"to", request.to.has_value()},
        std::pair{"transfers", request.transfers.has_value()},
        std::pair{"warm-up", request.warm_up.has_value()},
        std::pair{"in-flight", request.in_flight.has_value()},
    };
    for (const auto& [key, is_given] : given)
        if (const std::string why = is_given ? no_use(key, workload) : ""; !why.empty())
            return fail(fmt::format("{} has no use for workload '{}': {}", key, workload.name, why));
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

namespace {

/// Sets all that is asked for, each once, and says so in `conditions`.
Result<void> set_parameters(pcie::Profile& profile, const JobRequest& request,
                            const topology::Topology& topology, const Workload& workload,
                            nlohmann::ordered_json& conditions) {
    for (const std::string& text : request.set) {
        const auto done = set_parameter(profile, text);
        if (!done) return tl::unexpected(done.error());
        const auto& [name, value] = *done;
        if (conditions.contains(name))
            return fail(fmt::format("parameter {} is set twice; set it once", name));
        conditions[name] = value;
        if (!request.each_counts) continue;
        if (const std::string why = no_effect(name, profile, topology, workload); !why.empty())
            return fail(fmt::format("parameter {} makes no difference here: {}", name, why));
    }
    return {};
}

/// Of a trace: those that have requests.
std::vector<Flow> flows_of_trace(const std::vector<TraceRequest>& requests) {
    std::vector<Flow> flows;
    for (const TraceRequest& request : requests)
        if (const Flow flow{request.node, request.peer}; std::ranges::find(flows, flow) == flows.end())
            flows.push_back(flow);
    return flows;
}

}  // namespace

std::vector<std::uint64_t> sizes_of(const Workload& workload) {
    return workload.operation == Operation::trace ? std::vector<std::uint64_t>{0} : workload.sizes;
}

Result<Job> load_job(const JobRequest& request) {
    JobFiles files;
    return load_job(request, files);
}

Result<Job> load_job(const JobRequest& request, JobFiles& files) {
    const auto topology = files.topology(request.topology);
    if (!topology) return tl::unexpected(topology.error());
    const auto profile = files.profile(request.profile);
    if (!profile) return tl::unexpected(profile.error());
    const auto workload = files.workload(request.workload);
    if (!workload) return tl::unexpected(workload.error());

    Job job;
    job.hardware = {**topology, **profile, request.seed, request.check};
    job.workload = **workload;
    if (auto done = override_workload(job.workload, request); !done) return tl::unexpected(done.error());
    job.conditions = {{"topology", (*topology)->name},       {"profile", (*profile)->name},
                      {"workload", job.workload.name},       {"operation", name_of(job.workload.operation)},
                      {"in_flight", job.workload.in_flight}, {"seed", request.seed}};
    if (auto set = set_parameters(job.hardware.profile, request, **topology, job.workload, job.conditions);
        !set)
        return tl::unexpected(set.error());
    if (auto fits = check_together(job.hardware.profile, job.workload); !fits)
        return tl::unexpected(fits.error());
    if (auto made = files.try_out(request.topology, request.profile); !made)
        return tl::unexpected(made.error());
    if (job.workload.operation == Operation::trace) {
        const auto requests = files.trace(job.workload.trace, request.topology, job.hardware.profile);
        if (!requests) return tl::unexpected(requests.error());
        job.requests = **requests;
    } else {
        auto flows = flows_of(job.workload, job.hardware.topology, request.seed);
        if (!flows) return tl::unexpected(flows.error());
        job.flows = std::move(*flows);
    }
    job.notes = notes(job.hardware.profile, job.hardware.topology, job.workload,
                      job.requests.empty() ? job.flows : flows_of_trace(job.requests));
    return job;
}

Outcome run_point(const Job& job, std::uint64_t size, const Hooks& hooks) {
    return job.workload.operation == Operation::trace
               ? replay(job.hardware, job.requests, hooks)
               : simulate(job.hardware, job.workload, job.flows, size, hooks);
}

}  // namespace ntblab::sim
