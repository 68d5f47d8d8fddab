// SPDX-License-Identifier: MIT
// What PCIe's physical and data link layers make of bytes: line rates, framing, and how often DLLPs are due.
//
//     const Encoding wire(4, 16);                                  // Gen4 x16
//     wire.gigabits();                                             // 252.06
//     wire.ticks(wire.tlp_bytes(tlp));                             // how long it takes
#pragma once

#include <cstdint>

#include "pcie/tlp.h"

namespace ntblab::pcie {

/// 1/1024 ps, in which a byte takes a whole number of ticks at every generation and width: sums do not drift.
using Ticks = std::uint64_t;

inline constexpr unsigned kTicksPerPicosecond = 1024;
constexpr Ticks to_ticks(Picoseconds time) {
    return time * kTicksPerPicosecond;
}
/// Rounded up: what has not ended has not arrived.
constexpr Picoseconds to_picoseconds(Ticks ticks) {
    return (ticks + kTicksPerPicosecond - 1) / kTicksPerPicosecond;
}

/// Framing, sequence number and LCRC of a TLP, of generations 1 to 5 (pcie-model, cocotbext-pcie).
inline constexpr unsigned kTlpFraming = 8;
/// A DLLP with its CRC and framing, likewise.
inline constexpr unsigned kDllpBytes = 8;

class Encoding {
  public:
    /// @param generation 1 to 6; @param lanes 1, 2, 4, 8 or 16.
    Encoding(unsigned generation, unsigned lanes);

    unsigned generation() const { return generation_; }
    unsigned lanes() const { return lanes_; }
    /// 256-byte FLITs, of which 236 bytes are TLPs (PCIe 6.0): TLPs have no framing of their own, and DLLPs
    /// ride along.
    bool flits() const { return generation_ >= 6; }

    /// One direction, in Gb/s, what encoding leaves of it; generation 6: what is TLPs of it.
    double gigabits() const;

    /// How long so many bytes of TLPs or DLLPs take.
    Ticks ticks(std::uint64_t bytes) const {
        return flits() ? bytes * byte_ticks_ * 256 / 236 : bytes * byte_ticks_;
    }
    /// Of all lanes, one byte each.
    Ticks symbol_time() const { return lanes_ * byte_ticks_; }
    Ticks flit_time() const { return 256 * byte_ticks_; }

    std::uint32_t tlp_bytes(const Tlp& tlp) const {
        return header_bytes(tlp) + data_bytes(tlp) + (flits() ? 0 : kTlpFraming);
    }

    /// The most that an acknowledgement, or an UpdateFC, may be late (PCIe 5.0, tables 2-46 to 2-48 and 3-7
    /// to 3-9, as computed by cocotbext-pcie's get_max_update_latency, rounded down).
    unsigned update_latency_symbols(unsigned mps) const;

    /// Skip ordered sets: how long one takes, and how far apart they begin.
    Ticks skip_time() const;
    Ticks skip_interval() const;

  private:
    unsigned generation_;
    unsigned lanes_;
    Ticks byte_ticks_;
};

}  // namespace ntblab::pcie
