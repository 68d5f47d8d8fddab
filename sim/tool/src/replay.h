// SPDX-License-Identifier: MIT
// A trace's requests, injected at their times through the embedding interface of the model.
//
//     Outcome outcome = replay(hardware, *load_trace(path, hardware.topology, hardware.profile), {});
#pragma once

#include "simulate.h"
#include "trace_file.h"

namespace ntblab::sim {

/// Latency is from a request's time until the peer sees it, or until the answer is there; flows are pairs of
/// nodes, in the order of their first request.
/// @throw std::invalid_argument if the profile cannot be what the topology asks for, or no NT pair joins two
/// nodes.
Outcome replay(const Hardware& hardware, const std::vector<TraceRequest>& requests, const Hooks& hooks);

}  // namespace ntblab::sim
