// SPDX-License-Identifier: MIT
// The firmware that the switch seems to run: the emulator itself. Its flash memory holds no images, only what
// says where they would be and that they are of the emulator's version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "state.h"

namespace switchtec::firmware {

inline constexpr std::uint32_t kFlashSize = 32U << 20;

/// In the order of the tables in flash_info and of MRPC PART_INFO; the rest is not in all of them.
enum class Part : std::uint8_t {
    Map0,
    Map1,
    Key0,
    Key1,
    Bl2First,
    Bl2Second,
    Config0,
    Config1,
    Image0,
    Image1,
    NvLog,
    Vendor0,
    Vendor7 = Vendor0 + 7,
    Riot0,
    Riot1,
};

/// Where a part of the flash is. Ours: 1 MiB each, one after the other.
struct Place {
    std::uint32_t address, size;
};
Place place(Part part);
/// The first of two holds an image and runs; the second is empty. Vendor parts are empty.
bool present(Part part);

/// [31:24] generation as firmware versions have it, then the emulator's version.
std::uint32_t version(const State& s);

inline constexpr std::size_t kMetadataSize = 628;
/// What describes the image in `part`, for Gen4 and Gen5 (switchtec-user 4.5, struct
/// switchtec_fw_metadata_gen4).
void write_metadata(const State& s, Part part, std::span<std::uint8_t, kMetadataSize> to);

/// Bytes of the flash memory from `address`: 0xFF where nothing is.
void read(const State& s, std::uint32_t address, std::span<std::uint8_t> to);

}  // namespace switchtec::firmware
