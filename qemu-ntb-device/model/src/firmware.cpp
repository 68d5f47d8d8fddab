// SPDX-License-Identifier: MIT
#include "firmware.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "bytes.h"
#include "identity.h"

namespace switchtec::firmware {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kMiB = 1U << 20;
constexpr unsigned kParts = static_cast<unsigned>(Part::Riot1) + 1;

// Of a Gen3 switch alone, at fixed addresses (switchtec-user 4.5, inc/switchtec/switchtec.h); each 64 KiB.
constexpr std::uint32_t kGen3Boot = 0xA8000000, kGen3Map0 = 0xA8020000, kGen3Map1 = 0xA8040000,
                        kGen3Size = 0x10000;
constexpr std::size_t kFooterSize = 28;

// Copies the part of `from`, which lies at `start`, that `to`, which lies at `address`, covers.
void overlay(std::uint32_t start, std::span<const std::uint8_t> from, std::uint32_t address,
             std::span<std::uint8_t> to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint64_t at = std::uint64_t{start} + i;
        if (at >= address && at - address < to.size()) to[at - address] = from[i];
    }
}

// struct switchtec_fw_footer_gen3, at the end of a part.
void read_gen3_footer(const State& s, Place where, std::uint32_t address, std::span<std::uint8_t> to) {
    std::array<std::uint8_t, kFooterSize> footer{};
    put_text(footer, 0, "PMC"sv);
    put(footer, 12, version(s), 4);
    overlay(where.address + where.size - kFooterSize, footer, address, to);
}

void read_gen3(const State& s, std::uint32_t address, std::span<std::uint8_t> to) {
    for (std::uint32_t start : {kGen3Boot, kGen3Map0}) read_gen3_footer(s, {start, kGen3Size}, address, to);
    for (Part part : {Part::Config0, Part::Image0}) read_gen3_footer(s, place(part), address, to);
    // The map with the larger number is in use.
    constexpr std::array<std::uint8_t, 4> kNewer = {1, 0, 0, 0}, kOlder = {0, 0, 0, 0};
    overlay(kGen3Map0, kNewer, address, to);
    overlay(kGen3Map1, kOlder, address, to);
}

}  // namespace

Place place(Part part) {
    return {static_cast<std::uint32_t>(part) * kMiB, kMiB};
}

bool present(Part part) {
    switch (part) {
        case Part::Map0:
        case Part::Key0:
        case Part::Bl2First:
        case Part::Config0:
        case Part::Image0:
        case Part::Riot0:
            return true;
        default:
            return false;
    }
}

std::uint32_t version(const State& s) {
    constexpr std::array kMajor = {1U, 4U, 6U};
    return kMajor.at(identity(s).generation - 3) << 24 | NTBLAB_VERSION_MAJOR << 16 |
           NTBLAB_VERSION_MINOR << 8 | NTBLAB_VERSION_PATCH;
}

void write_metadata(const State& s, Part part, std::span<std::uint8_t, kMetadataSize> to) {
    std::ranges::fill(to, 0);
    put_text(to, 0, "MSCC"sv);
    put_text(to, 4, "_MD "sv);
    put(to, 8, 1, 4);               // header version
    put(to, 16, kMetadataSize, 4);  // header length
    put(to, 20, kMetadataSize, 4);
    put(to, 28, static_cast<unsigned>(part), 4);
    put(to, 36, version(s), 4);
    put_text(to, 64, "ntblab"sv);
}

void read(const State& s, std::uint32_t address, std::span<std::uint8_t> to) {
    std::ranges::fill(to, 0xFF);
    if (layout(s) == Layout::Gen3) return read_gen3(s, address, to);
    for (unsigned i = 0; i < kParts; ++i) {
        const auto part = static_cast<Part>(i);
        if (!present(part)) continue;
        std::array<std::uint8_t, kMetadataSize> metadata;
        write_metadata(s, part, metadata);
        overlay(place(part).address, metadata, address, to);
    }
}

}  // namespace switchtec::firmware
