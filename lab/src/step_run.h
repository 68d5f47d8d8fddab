// SPDX-License-Identifier: MIT
// Runs one step of a topology's `validate` section.
#pragma once

#include <boost/asio/io_context.hpp>

#include "cluster_list.h"
#include "step_result.h"

namespace ntblab::lab {

/// Blocks until the command has ended, at the latest some seconds after the step's time limit; returns early
/// if someone stops the loop.
StepResult run_step(boost::asio::io_context& io, const Cluster& cluster, const topology::Step& step);

}  // namespace ntblab::lab
