// SPDX-License-Identifier: MIT
// Simulated time: 64-bit picoseconds, as SystemC counts it at its default resolution.
//
//     const Picoseconds at = now() + nanoseconds(120);
//     wake.notify(to_sc_time(at - now()));
#pragma once

#include <cstdint>
#include <limits>
#include <systemc>

namespace ntblab::pcie {

using Picoseconds = std::uint64_t;

inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

constexpr Picoseconds nanoseconds(std::uint64_t count) {
    return count * 1000;
}

/// sc_time_stamp(), without a call into SystemC's library where there is a simulation.
inline Picoseconds now() {
    const sc_core::sc_simcontext* context = sc_core::sc_curr_simcontext;
    return (context != nullptr ? context->time_stamp() : sc_core::sc_time_stamp()).value();
}

inline sc_core::sc_time to_sc_time(Picoseconds span) {
    return sc_core::sc_time::from_value(span);
}

/// An event that is awaited for the earliest of the times asked for.
class Alarm {
  public:
    explicit Alarm(const char* name) : event_(name) {}

    const sc_core::sc_event& event() const { return event_; }

    /// Not before now(): what is in the past is due at once.
    void at_latest(Picoseconds at) {
        if (at >= due_) return;
        due_ = at;
        const Picoseconds time = now();
        event_.notify(to_sc_time(at > time ? at - time : 0));
    }
    /// To be called when it has rung.
    void rang() { due_ = kNever; }

  private:
    sc_core::sc_event event_;
    Picoseconds due_ = kNever;
};

}  // namespace ntblab::pcie
