// SPDX-License-Identifier: MIT
// The life of a host: attached, bus master, reset, gone.
#pragma once

#include "state.h"

namespace switchtec::host {

/// Only while nobody is attached.
void configure(State& s, unsigned partition, const PartitionConfig& config);
void attach(State& s, unsigned partition);
void detach(State& s, unsigned partition);
void reset(State& s, unsigned partition);
void set_bus_master(State& s, unsigned partition, bool enabled);
void set_requester_id(State& s, unsigned partition, std::uint16_t requester_id);
/// A request of its host did not pass its NT endpoint.
void refuse(State& s, unsigned partition, std::uint16_t requester_id);
/// Its machine runs again after snapshot::load.
void resumed(State& s, unsigned partition);
void windows_applied(State& s, unsigned partition, std::uint64_t generation);
void repair(State& s);

}  // namespace switchtec::host
