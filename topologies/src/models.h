// SPDX-License-Identifier: MIT
// The Switchtec PFX family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ntblab::topology {

struct Model {
    std::string_view name;
    std::uint16_t device_id;  ///< Linux 6.12, drivers/pci/switch/switchtec.c, switchtec_pci_tbl.
    unsigned lanes;
    unsigned generation;
};

inline constexpr std::array<Model, 12> kModels{{
    {"pfx-28xg4", 0x4028, 28, 4},
    {"pfx-36xg4", 0x4036, 36, 4},
    {"pfx-52xg4", 0x4052, 52, 4},
    {"pfx-68xg4", 0x4068, 68, 4},
    {"pfx-84xg4", 0x4084, 84, 4},
    {"pfx-100xg4", 0x4000, 100, 4},
    {"pfx-28xg5", 0x5028, 28, 5},
    {"pfx-36xg5", 0x5036, 36, 5},
    {"pfx-52xg5", 0x5052, 52, 5},
    {"pfx-68xg5", 0x5068, 68, 5},
    {"pfx-84xg5", 0x5084, 84, 5},
    {"pfx-100xg5", 0x5000, 100, 5},
}};

}  // namespace ntblab::topology
