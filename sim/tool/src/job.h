// SPDX-License-Identifier: MIT
// A run as it is asked for, by names and paths, and as it is when all of them have been read.
//
//     auto job = load_job({.topology = "pair.yaml", .workload = "dma-write", .set = {"link.mps=512"}});
//     if (!job) { std::cerr << job.error().message << '\n'; return 2; }
//     for (const std::uint64_t size : job->sizes()) results.push_back(run_point(*job, size, {}));
#pragma once

#include <optional>

#include "job_files.h"
#include "replay.h"
#include "simulate.h"

namespace ntblab::sim {

struct JobRequest {
    std::string topology;                                       ///< Path.
    std::string profile = "switchtec-gen4x16";                  ///< Name or path.
    std::string workload = "pio-write";                         ///< Likewise.
    std::vector<std::string> set = {};                          ///< "parameter=value", over the profile's.
    std::optional<std::string> sizes = {}, from = {}, to = {};  ///< Over the workload's.
    std::optional<unsigned> transfers = {}, warm_up = {}, in_flight = {};
    std::uint64_t seed = 1;
    bool check = false;
    bool each_counts = true;  ///< All of `set` have to make a difference; in a sweep they do in some runs.
};

/// Of transfers of a workload, one run after the other; a trace is one run of "size" 0.
std::vector<std::uint64_t> sizes_of(const Workload& workload);

struct Job {
    Hardware hardware;
    Workload workload;
    std::vector<Flow> flows;
    std::vector<TraceRequest> requests;  ///< Of the operation trace.
    nlohmann::ordered_json conditions;   ///< What it is a run of, for results.
    std::vector<std::string> notes;      ///< What its user may not expect, as sentences.

    std::vector<std::uint64_t> sizes() const { return sizes_of(workload); }
};

/// Errors: whatever is wrong with one of the files or values, as a sentence; no NT pair between nodes; a
/// profile that cannot be what the topology asks for; options and parameters that make no difference.
Result<Job> load_job(const JobRequest& request);
/// Likewise, with files that others have, too.
Result<Job> load_job(const JobRequest& request, JobFiles& files);

/// Sets "parameter=value". @return its name and value. Errors: no such parameter; not one of its values.
Result<std::pair<std::string, double>> set_parameter(pcie::Profile& profile, const std::string& text);
/// Puts the request's in place of a workload's own. Errors: no sizes; options that say nothing to this
/// workload.
Result<void> override_workload(Workload& workload, const JobRequest& request);

/// @throw std::logic_error if the model comes to no rest.
Outcome run_point(const Job& job, std::uint64_t size, const Hooks& hooks);

}  // namespace ntblab::sim
