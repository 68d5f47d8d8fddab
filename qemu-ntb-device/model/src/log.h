// SPDX-License-Identifier: MIT
// The firmware's log, as MRPC FWLOGRD gives it: what happened in the emulated switch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "state.h"

namespace switchtec::log {

/// [31:28] severity (1 highest .. 5 lowest), [27:16] module, [15:0] number in the module: what the third word
/// of an entry says (switchtec-user 4.5, write_parsed_log).
enum class Event : std::uint32_t {
    PowerOn = 0x20010000,           ///< partitions
    Attached = 0x20010001,          ///< partition
    Detached = 0x20010002,          ///< partition
    Reset = 0x20010003,             ///< partition
    Restored = 0x20010004,          ///< partition
    LinkUp = 0x30020000,            ///< partition, generation, width
    LinkDown = 0x30020001,          ///< partition
    Locked = 0x40030000,            ///< control block, by partition
    Configured = 0x40030001,        ///< control block, by partition
    ConfigureError = 0x10030002,    ///< control block, by partition, bar_error, lut_error, req_id_error
    BlockReset = 0x40030003,        ///< control block, by partition
    LockWaits = 0x40030004,         ///< control block, for partition
    RequesterRefused = 0x20030005,  ///< control block, requester ID
    CommandError = 0x10040000,      ///< partition, command, return value
};

void add(State& s, Event event, std::array<std::uint32_t, 5> arguments = {});

/// Entries are numbered from power-on; the oldest are overwritten.
std::uint64_t oldest(const State& s);
inline std::uint64_t end(const State& s) {
    return s.log_end;
}

inline constexpr std::size_t kEntrySize = 32;
/// An entry as firmware has it: time stamp (high word first), event, five arguments.
void write(const State& s, std::uint64_t number, std::span<std::uint8_t, kEntrySize> to);

/// The version that log and definitions carry from Gen5 on (switchtec-user 4.5 compares the two, and takes
/// both for 0 before).
std::uint32_t version(const State& s);

/// The definitions that turn entries into text, as a log definition file. The text of each entry takes its
/// five arguments by printf's rules.
std::string definitions(const State& s);

}  // namespace switchtec::log
