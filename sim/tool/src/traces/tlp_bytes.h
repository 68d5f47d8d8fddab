// SPDX-License-Identifier: MIT
// A TLP's header as it is on the wire (PCIe 4.0, 2.2), of 3 or 4 DW.
//
//     const std::vector<std::uint8_t> bytes = header_of(tlp);
//
// As the model has it, requests have addresses of 64 bits, also below 4 GiB; bytes of a request are enabled
// from its address on, to its length.
#pragma once

#include <cstdint>
#include <vector>

#include "pcie/tlp.h"

namespace ntblab::sim {

std::vector<std::uint8_t> header_of(const pcie::Tlp& tlp);

/// Double words that it carries, or asks for.
std::uint32_t dws_of(const pcie::Tlp& tlp);

}  // namespace ntblab::sim
