// SPDX-License-Identifier: MIT
// Commands about the firmware and its flash memory (switchtec-user 4.5, lib/fw.c).
#include <algorithm>
#include <array>

#include "bytes.h"
#include "firmware.h"
#include "identity.h"
#include "mrpc_commands.h"

namespace switchtec::mrpc {
namespace {

using firmware::Part;

constexpr std::size_t kHeaderSize = 64, kPartSize = 32;
constexpr std::uint8_t kSeeprom = 0xFE;  // Not there.

// Which part has which number. Gen5 has one kind more, after the keys.
constexpr std::array kGen4Parts = {Part::Map0,     Part::Map1,      Part::Key0,    Part::Key1,
                                   Part::Bl2First, Part::Bl2Second, Part::Config0, Part::Config1,
                                   Part::Image0,   Part::Image1,    Part::NvLog};
constexpr std::array kGen5Parts = {
    Part::Map0,      Part::Map1,    Part::Key0,    Part::Key1,   Part::Riot0,  Part::Riot1, Part::Bl2First,
    Part::Bl2Second, Part::Config0, Part::Config1, Part::Image0, Part::Image1, Part::NvLog};
constexpr unsigned kVendorParts = 8;

bool is_gen5(const Call& call) {
    return identity(call.s).generation == 5;
}

std::span<const Part> parts(const Call& call) {
    if (is_gen5(call)) return kGen5Parts;
    return kGen4Parts;
}

void put_part(Part part, std::span<std::uint8_t> to) {
    const auto where = firmware::place(part);
    const bool present = firmware::present(part);
    to[10] = present || part == Part::NvLog;  // Valid.
    to[11] = present;                         // Active.
    put(to, 12, where.address, 4);
    put(to, 16, where.address + where.size - 1, 4);
    put(to, 24, where.size / 4, 4);
    to[28] = 1;        // Read only: nothing can be downloaded.
    to[29] = present;  // In use.
}

std::uint32_t all_info(const Call& call) {
    put(call.output, 0, firmware::version(call.s), 4);
    put(call.output, 4, firmware::kFlashSize, 4);
    put(call.output, 8, call.s.device_id, 2);
    std::size_t at = kHeaderSize;
    for (Part part : parts(call)) {
        put_part(part, call.output.subspan(at, kPartSize));
        at += kPartSize;
    }
    for (unsigned i = 0; i < kVendorParts; ++i) {
        put_part(static_cast<Part>(static_cast<unsigned>(Part::Vendor0) + i),
                 call.output.subspan(at, kPartSize));
        at += kPartSize;
    }
    return kSuccess;
}

std::uint32_t metadata(const Call& call) {
    const std::uint8_t number = call.input[1];
    const auto all = parts(call);
    if (number >= all.size() || !firmware::present(all[number])) return kBadParameter;
    firmware::write_metadata(call.s, all[number], call.output.first<firmware::kMetadataSize>());
    return kSuccess;
}

}  // namespace

std::uint32_t part_info(const Call& call) {
    constexpr std::uint8_t kAll = 0, kMetadata = 1, kSeepromMetadata = 2, kAllGen5 = 4, kMetadataGen5 = 5;
    const std::uint8_t subcommand = call.input[0];
    if (subcommand == (is_gen5(call) ? kAllGen5 : kAll)) return all_info(call);
    if (subcommand == (is_gen5(call) ? kMetadataGen5 : kMetadata)) return metadata(call);
    return subcommand == kSeepromMetadata && call.input[1] == kSeeprom ? kBadParameter : kBadSubcommand;
}

// One configuration only: "not supported".
std::uint32_t multi_config(const Call& call) {
    constexpr std::uint8_t kSupported = 0;
    return call.input[0] == kSupported ? kSuccess : kBadSubcommand;
}

std::uint32_t download(const Call& call) {
    constexpr std::uint8_t kStatus = 0, kBootReadOnly = 4;
    const std::uint8_t subcommand = call.input[0];
    if (subcommand == kStatus) return kSuccess;  // Nothing was downloaded, nothing is under way.
    if (subcommand == kBootReadOnly) {
        constexpr std::uint8_t kGet = 0;
        if (call.input[1] != kGet) return kDenied;
        call.output[0] = 1;
        return kSuccess;
    }
    return kDenied;
}

std::uint32_t read_flash(const Call& call) {
    constexpr std::size_t kLongest = 1016;
    const auto address = static_cast<std::uint32_t>(get(call.input, 0, 4));
    const auto length = static_cast<std::size_t>(get(call.input, 4, 4));
    if (length > kLongest) return kBadParameter;
    firmware::read(call.s, address, call.output.first(length));
    return kSuccess;
}

}  // namespace switchtec::mrpc
