// SPDX-License-Identifier: MIT
// The physical ports: each partition's link to its host is one. Ports are numbered by lanes, two to a number,
// eight numbers to a stack of 16 lanes, as switchtec-user 4.5 counts them (switchtec_calc_lane_id). Which
// port a partition has is ours: in the order of their numbers, each aligned to its width; and if the links
// together need more lanes than any switch has, a partition's own number.
#pragma once

#include <optional>

#include "state.h"

namespace switchtec::ports {

inline constexpr unsigned kPerStack = 8;
inline constexpr unsigned kStacks = 6;  ///< Of ports that links use. Gen4 and Gen5 have four ports more.

/// Ports that firmware reports: 48, 52, 60 for Gen3, 4, 5 (switchtec-user 4.5,
/// switchtec_max_supported_ports).
unsigned count(const State& s);
unsigned of_partition(const State& s, unsigned partition);
/// The partition whose link `port` is.
std::optional<unsigned> partition_at(const State& s, unsigned port);

}  // namespace switchtec::ports
