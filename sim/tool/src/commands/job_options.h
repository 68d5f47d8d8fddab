// SPDX-License-Identifier: MIT
// Options that say what is simulated, of all commands that simulate.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <vector>

#include "job.h"

namespace ntblab::sim {

/// Of a run, or of one transfer, of which there are not several.
enum class JobKind { run, transfer };

/// Adds them. @return what they fill in.
std::shared_ptr<JobRequest> add_job_options(CLI::App& command, JobKind kind);

/// Files that a job reads; "" is none.
std::vector<std::filesystem::path> inputs_of(const JobRequest& request, const Job& job);

/// Says on standard error what a user may not expect.
void print_notes(const std::vector<std::string>& notes);

/// To be given to Option::transform(): digits only, from `least` to `most`.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

}  // namespace ntblab::sim
