// SPDX-License-Identifier: MIT
// What went over the links: the bandwidth, event and latency counters of MRPC PMON.
//
// Counted is what the emulation sees as single requests: register accesses, interrupts, answers of MRPC by
// DMA, accesses to a window BAR that reach nothing, and whatever is reported to Chip::forwarded. A window
// that is mapped memory is used without anybody seeing it, and counts nothing.
#pragma once

#include "state.h"

namespace switchtec::traffic {

/// `tlps` requests or completions with `payload` bytes in all pass the port of `partition`, from its host or
/// to it.
void count(State& s, unsigned partition, bool from_host, Tlp tlp, std::uint64_t tlps, std::uint64_t payload);
/// A request of `partition`'s host was answered with "unsupported request", or dropped.
void count_unsupported(State& s, unsigned partition);
/// A TLP took `ns` from the port of `from` to that of `to`.
void measured(State& s, unsigned from, unsigned to, std::uint64_t ns);

/// Bytes of one class in one direction since they were last cleared: payload, or with headers and framing.
std::uint64_t bytes(const Port& port, bool from_host, Tlp tlp);
void clear(State& s, Port& port);

/// An event counter's count since it was set up or cleared.
std::uint32_t value(const State& s, unsigned stack, const EventCounter& counter);
/// Sets it up to count from now on what `mask` and `direction` say (switchtec-user 4.5, struct
/// pmon_event_counter_setup).
void set_up(State& s, unsigned stack, EventCounter& counter, std::uint32_t mask, std::uint8_t direction,
            std::uint32_t threshold);
void clear(State& s, unsigned stack, EventCounter& counter);

}  // namespace switchtec::traffic
