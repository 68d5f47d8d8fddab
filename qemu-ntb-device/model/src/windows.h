// SPDX-License-Identifier: MIT
// Where accesses to the window BARs go.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "state.h"

namespace switchtec::windows {

/// The BAR that holds the LUT windows: the first one that is a window BAR.
std::optional<unsigned> first_bar(const PartitionConfig& config);
/// Bytes of the LUT region that `setup` enables in `bar`.
std::uint64_t lut_bytes(const PartitionConfig& config, const NtbSetup& setup, unsigned bar);
std::uint64_t direct_size(const NtbSetup& setup, unsigned bar);
unsigned direct_target(const NtbSetup& setup, unsigned bar);
unsigned lut_target(std::uint64_t entry);

/// Requests of `requester_id` may enter at `partition`: protection is off, or the ID is listed in its active
/// table.
bool requester_allowed(const State& s, unsigned partition, std::uint16_t requester_id);

/// Devfn under which these requests appear on the bus of their target: the proxy of the entry that lists the
/// requester; of the first entry when protection is off and none does (ours).
unsigned proxy_of(const State& s, unsigned partition, std::uint16_t requester_id);

std::optional<Translation> translate(const State& s, unsigned partition, unsigned bar, std::uint64_t offset,
                                     std::uint16_t requester_id);
std::vector<WindowSpan> spans(const State& s, unsigned partition);

/// Disables, in every block, what leads to `target`.
void disable_target(State& s, unsigned target);

/// Runs `change`, and gives a new window generation to each host whose windows it changed.
void tracked(State& s, const std::function<void()>& change);
/// A new generation for `partition` whether or not its windows changed.
void advance(State& s, unsigned partition);
bool settled(const State& s, unsigned partition);

}  // namespace switchtec::windows
