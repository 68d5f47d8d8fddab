// SPDX-License-Identifier: MIT
// Which switches there are: what a PCI ID says about generation, family and size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "state.h"

namespace switchtec {

struct Identity {
    unsigned generation;  ///< 3, 4 or 5.
    unsigned lanes;
    std::string name;  ///< "PFX 52xG4".
};

/// Linux 6.12 drivers/pci/switch/switchtec.c, switchtec_pci_tbl; nullopt: not of it, or a PAX or Gen6 part,
/// which are not modelled.
std::optional<Identity> identify(std::uint16_t vendor_id, std::uint16_t device_id);

/// Of a switch that is there.
Identity identity(const State& s);

}  // namespace switchtec
