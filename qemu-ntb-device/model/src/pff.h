// SPDX-License-Identifier: MIT
// Configuration-space images of the ports ("physical function files"). Partition p has two: 2p, its upstream
// port, and 2p + 1, the virtual endpoint, i.e. the NT or management function.
#pragma once

#include "state.h"

namespace switchtec::pff {

inline constexpr unsigned kPerPartition = 2;
/// Also of a PCI100x, whose function says 0x1055: Linux 6.12 stops counting images at any other
/// (switchtec.c, init_pff).
inline constexpr std::uint16_t kVendor = 0x11F8;

inline constexpr std::uint32_t kUpstreamPortClass = 0x060400;

/// A register of the image's first 256 bytes.
std::uint32_t read_config(const State& s, unsigned pff, const RegisterInfo& reg, unsigned index);

}  // namespace switchtec::pff
