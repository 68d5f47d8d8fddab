// SPDX-License-Identifier: MIT
// Event headers. They belong to the switch, not to a host: one set that every host reads and writes, as in
// the GAS of a real one.
#pragma once

#include "state.h"

namespace switchtec::events {

/// Counts an event of `partition` itself; MRPC events interrupt that host only, others every host.
void raise_partition(State& s, unsigned partition, unsigned event);
/// The same without an interrupt.
void record_partition(State& s, unsigned partition, unsigned event);
/// Counts an event of `partition`'s upstream port: link state, threshold. Interrupts every host.
void raise_port(State& s, unsigned partition, unsigned event);
/// A host writes a header: bit 0 clears, bits 1..4 are stored. Enabling the interrupt of an event that is
/// still there sends it (our choice). `mrpc_of`: the partition whose MRPC header it is, or kNobody.
void write_header(State& s, std::uint32_t& header, Written w, unsigned mrpc_of);
/// Bit per header that has occurred.
std::uint32_t summary(const std::uint32_t* headers, unsigned count);
/// After a crash: sends again what is there and enabled.
void raise_all(State& s);

}  // namespace switchtec::events
