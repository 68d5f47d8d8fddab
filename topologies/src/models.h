// SPDX-License-Identifier: MIT
// The Switchtec switches that are modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ntblab::topology {

struct Model {
    std::string_view name;
    std::uint16_t vendor_id, device_id;  ///< Linux 6.12, drivers/pci/switch/switchtec.c, switchtec_pci_tbl.
    unsigned lanes;
    unsigned generation;
};

inline constexpr std::array<Model, 43> kModels{{
    {"pfx-24xg3", 0x11F8, 0x8531, 24, 3}, {"pfx-32xg3", 0x11F8, 0x8532, 32, 3},
    {"pfx-48xg3", 0x11F8, 0x8533, 48, 3}, {"pfx-64xg3", 0x11F8, 0x8534, 64, 3},
    {"pfx-80xg3", 0x11F8, 0x8535, 80, 3}, {"pfx-96xg3", 0x11F8, 0x8536, 96, 3},
    {"psx-24xg3", 0x11F8, 0x8541, 24, 3}, {"psx-32xg3", 0x11F8, 0x8542, 32, 3},
    {"psx-48xg3", 0x11F8, 0x8543, 48, 3}, {"psx-64xg3", 0x11F8, 0x8544, 64, 3},
    {"psx-80xg3", 0x11F8, 0x8545, 80, 3}, {"psx-96xg3", 0x11F8, 0x8546, 96, 3},
    {"pfx-28xg4", 0x11F8, 0x4028, 28, 4}, {"pfx-36xg4", 0x11F8, 0x4036, 36, 4},
    {"pfx-52xg4", 0x11F8, 0x4052, 52, 4}, {"pfx-68xg4", 0x11F8, 0x4068, 68, 4},
    {"pfx-84xg4", 0x11F8, 0x4084, 84, 4}, {"pfx-100xg4", 0x11F8, 0x4000, 100, 4},
    {"psx-28xg4", 0x11F8, 0x4128, 28, 4}, {"psx-36xg4", 0x11F8, 0x4136, 36, 4},
    {"psx-52xg4", 0x11F8, 0x4152, 52, 4}, {"psx-68xg4", 0x11F8, 0x4168, 68, 4},
    {"psx-84xg4", 0x11F8, 0x4184, 84, 4}, {"psx-100xg4", 0x11F8, 0x4100, 100, 4},
    {"pfx-28xg5", 0x11F8, 0x5028, 28, 5}, {"pfx-36xg5", 0x11F8, 0x5036, 36, 5},
    {"pfx-52xg5", 0x11F8, 0x5052, 52, 5}, {"pfx-68xg5", 0x11F8, 0x5068, 68, 5},
    {"pfx-84xg5", 0x11F8, 0x5084, 84, 5}, {"pfx-100xg5", 0x11F8, 0x5000, 100, 5},
    {"psx-28xg5", 0x11F8, 0x5128, 28, 5}, {"psx-36xg5", 0x11F8, 0x5136, 36, 5},
    {"psx-52xg5", 0x11F8, 0x5152, 52, 5}, {"psx-68xg5", 0x11F8, 0x5168, 68, 5},
    {"psx-84xg5", 0x11F8, 0x5184, 84, 5}, {"psx-100xg5", 0x11F8, 0x5100, 100, 5},
    {"pci1001", 0x1055, 0x1001, 16, 4},   {"pci1002", 0x1055, 0x1002, 12, 4},
    {"pci1003", 0x1055, 0x1003, 16, 4},   {"pci1004", 0x1055, 0x1004, 16, 4},
    {"pci1005", 0x1055, 0x1005, 16, 4},   {"pci1006", 0x1055, 0x1006, 16, 4},
    {"pci1008", 0x1055, 0x1008, 16, 4},
}};

}  // namespace ntblab::topology
