// SPDX-License-Identifier: MIT
#include "log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bytes.h"
#include "firmware.h"
#include "identity.h"

namespace switchtec::log {
namespace {

constexpr std::uint32_t kFirstModule = 1;

struct Module {
    const char* name;
    std::span<const char* const> entries;
};

constexpr const char* kHost[] = {"switch powered on with %d partitions", "host of partition %d attached",
                                 "host of partition %d detached", "host of partition %d reset",
                                 "host of partition %d goes on from a snapshot"};
constexpr const char* kLink[] = {"link of partition %d up: Gen%d x%d", "link of partition %d down"};
constexpr const char* kNtb[] = {
    "control block %d: locked by partition %d",
    "control block %d: configured by partition %d",
    "control block %d: set-up of partition %d refused: bar 0x%08x lut 0x%08x requester 0x%08x",
    "control block %d: reset by partition %d",
    "control block %d: partition %d waits for the lock",
    "control block %d: requests of 0x%04x refused, which its requester-ID table does not list"};
constexpr const char* kMrpc[] = {"partition %d: command 0x%x failed: 0x%x"};
constexpr Module kModules[] = {{"HOST", kHost}, {"LINK", kLink}, {"NTB", kNtb}, {"MRPC", kMrpc}};

// The unit of a time stamp in 1/100 ns: switchtec-user 4.5, get_ts_factor.
std::uint64_t unit(const State& s) {
    return identity(s).generation == 3 ? 1000 : 833;
}

}  // namespace

void add(State& s, Event event, std::array<std::uint32_t, 5> arguments) {
    LogEntry& entry = s.log[s.log_end % kLogEntries];
    entry.time_ns = s.now_ns;
    entry.event = static_cast<std::uint32_t>(event);
    std::ranges::copy(arguments, entry.arguments);
    ordered();
    ++s.log_end;
}

std::uint64_t oldest(const State& s) {
    return s.log_end > kLogEntries ? s.log_end - kLogEntries : 0;
}

void write(const State& s, std::uint64_t number, std::span<std::uint8_t, kEntrySize> to) {
    const LogEntry& entry = s.log[number % kLogEntries];
    const std::uint64_t time = entry.time_ns * 100 / unit(s);
    put(to, 0, time >> 32, 4);
    put(to, 4, time, 4);
    put(to, 8, entry.event, 4);
    for (std::size_t i = 0; i < 5; ++i) put(to, 12 + 4 * i, entry.arguments[i], 4);
}

std::uint32_t version(const State& s) {
    return identity(s).generation < 5 ? 0 : firmware::version(s);
}

std::string definitions(const State& s) {
    std::string text = fmt::format("# SDK Version: {0:#x}\n# FW Version: {0:#x}\n", version(s));
    std::uint32_t number = kFirstModule;
    for (const Module& module : kModules) {
        text += fmt::format("{} {} {}\n", module.name, number++, module.entries.size());
        for (const char* entry : module.entries) text += fmt::format("{}\n", entry);
    }
    return text;
}

}  // namespace switchtec::log
