// SPDX-License-Identifier: MIT
// Options that say what is simulated, of all commands that simulate.
#pragma once

#include <memory>

#include "commands.h"
#include "job.h"

namespace ntblab::sim {

/// Adds them. @return what they fill in.
std::shared_ptr<JobRequest> add_job_options(CLI::App& command);

}  // namespace ntblab::sim
