// SPDX-License-Identifier: MIT
#include "identity.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace switchtec {
namespace {

constexpr std::uint16_t kMicrosemi = 0x11F8, kEfar = 0x1055;

std::optional<Identity> gen3(unsigned device) {
    constexpr std::array kLanes = {24U, 32U, 48U, 64U, 80U, 96U};
    const char* family = nullptr;
    switch (device >> 4) {
        case 0x853:
            family = "PFX";
            break;
        case 0x854:
            family = "PSX";
            break;
        case 0x856:
            family = "PFX-L";
            break;
        case 0x857:
            family = "PFX-I";
            break;
        default:
            return std::nullopt;
    }
    const unsigned size = device & 0xF;
    if (size == 0 || size > kLanes.size()) return std::nullopt;
    return Identity{3, kLanes[size - 1], fmt::format("{} {}xG3", family, kLanes[size - 1])};
}

// 0x4052: Gen4, family 0, 52 lanes; 00 stands for 100.
std::optional<Identity> gen4_or_5(unsigned device) {
    const unsigned generation = device >> 12;
    const char* family = nullptr;
    switch (device >> 8 & 0xF) {
        case 0:
            family = "PFX";
            break;
        case 1:
            family = "PSX";
            break;
        case 3:
            family = "PFXA";
            break;
        case 4:
            family = "PSXA";
            break;
        default:
            return std::nullopt;
    }
    switch (device & 0xFF) {
        case 0x28:
        case 0x36:
        case 0x52:
            break;
        case 0x00:
        case 0x68:
        case 0x84:
            if (generation == 4 && (device >> 8 & 0xF) >= 3) return std::nullopt;
            break;
        default:
            return std::nullopt;
    }
    const unsigned digits = (device >> 4 & 0xF) * 10 + (device & 0xF);
    const unsigned lanes = digits == 0 ? 100 : digits;
    return Identity{generation, lanes, fmt::format("{} {}xG{}", family, lanes, generation)};
}

std::optional<Identity> pci100x(unsigned device) {
    if (device < 0x1001 || device > 0x1008 || device == 0x1007) return std::nullopt;
    return Identity{4, device == 0x1002 ? 12U : 16U, fmt::format("PCI{:X}", device)};
}

}  // namespace

std::optional<Identity> identify(std::uint16_t vendor_id, std::uint16_t device_id) {
    if (vendor_id == kEfar) return pci100x(device_id);
    if (vendor_id != kMicrosemi) return std::nullopt;
    switch (device_id >> 12) {
        case 4:
        case 5:
            return gen4_or_5(device_id);
        case 8:
            return gen3(device_id);
        default:
            return std::nullopt;
    }
}

Identity identity(const State& s) {
    auto found = identify(s.vendor_id, s.device_id);
    if (!found) throw std::logic_error("a switch without an identity");
    return *found;
}

}  // namespace switchtec
