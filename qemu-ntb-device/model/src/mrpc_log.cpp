// SPDX-License-Identifier: MIT
// Commands that read the log (switchtec-user 4.5, inc/switchtec/log.h). Reading it adds no entry, so that it
// comes to its end.
#include <algorithm>
#include <string>

#include "bytes.h"
#include "firmware.h"
#include "identity.h"
#include "log.h"
#include "mrpc_commands.h"

namespace switchtec::mrpc {
namespace {

enum Subcommand : std::uint8_t {
    kRam = 0,
    kFlash = 1,
    kMemory = 2,
    kRegisters = 3,
    kSystemStack = 4,
    kThreadStack = 5,
    kThread = 6,
    kNvHeader = 10,
    kRamGen5 = 11,
    kFlashGen5 = 12,
    kRamWithFlag = 13,
    kFlashWithFlag = 14,
};

constexpr std::size_t kHeaderSize = 32;
constexpr std::uint64_t kMostEntries = (1024 - kHeaderSize) / log::kEntrySize;
constexpr std::uint32_t kFromOldest = 0xFFFFFFFF;

// An entry's number in 32 bits, as the command has it, in full: the nearest one that is not beyond the end,
// or the end.
std::uint64_t full_number(const State& s, std::uint32_t number) {
    const std::uint64_t end = log::end(s);
    const std::uint32_t before = static_cast<std::uint32_t>(end) - number;
    return before <= end ? end - before : end;
}

// In: subcommand, "from the end", count (0: as many as fit), start. Out: subcommand, from the end, overflow;
// total, count, remaining, next start, versions; the entries.
std::uint32_t read_entries(const Call& call, bool in_flash) {
    const State& s = call.s;
    const auto wanted = static_cast<std::uint32_t>(get(call.input, 8, 4));
    const auto start = static_cast<std::uint32_t>(get(call.input, 16, 4));
    const bool from_end = call.input[1] != 0;
    const std::uint64_t end = log::end(s);
    const std::uint64_t oldest = in_flash ? end : log::oldest(s);  // The flash memory holds none.
    const std::uint64_t most = wanted == 0 ? kMostEntries : std::min<std::uint64_t>(wanted, kMostEntries);
    std::uint64_t first = start == kFromOldest ? oldest : full_number(s, start);
    if (from_end && start == kFromOldest) first = end - std::min(most, end - oldest);
    const bool lost = !in_flash && (first < oldest || (start == kFromOldest && oldest != 0));
    first = std::max(first, oldest);
    const std::uint64_t count = std::min(most, end - first);

    call.output[0] = call.input[0];
    call.output[1] = from_end;
    call.output[2] = lost;
    put(call.output, 4, end - oldest, 4);
    put(call.output, 8, count, 4);
    put(call.output, 12, end - first - count, 4);
    put(call.output, 16, first + count, 4);
    put(call.output, 20, log::version(s), 4);
    put(call.output, 24, log::version(s), 4);
    for (std::uint64_t i = 0; i < count; ++i) {
        log::write(s, first + i,
                   call.output.subspan(kHeaderSize + i * log::kEntrySize).first<log::kEntrySize>());
    }
    return kSuccess;
}

}  // namespace

std::uint32_t read_log(const Call& call) {
    const bool gen5 = identity(call.s).generation == 5;
    switch (call.input[0]) {
        case kRam:
        case kRamWithFlag:
            return gen5 ? kBadSubcommand : read_entries(call, false);
        case kRamGen5:
            return gen5 ? read_entries(call, false) : kBadSubcommand;
        case kFlash:
        case kFlashWithFlag:
            return gen5 ? kBadSubcommand : read_entries(call, true);
        case kFlashGen5:
            return gen5 ? read_entries(call, true) : kBadSubcommand;
        case kMemory:
        case kRegisters:
        case kSystemStack:
        case kThreadStack:
        case kThread:
            call.output[0] = call.input[0];  // No processor, hence nothing to show: length 0, 0 remaining.
            return kSuccess;
        case kNvHeader:  // Nothing was ever saved; the version is of what runs.
            put(call.output, 12, firmware::version(call.s), 4);
            return kSuccess;
        default:
            return kBadSubcommand;
    }
}

// In: subcommand, index of the byte to begin with. Out: end of data, length, next index, 0; text.
std::uint32_t log_definitions(const Call& call) {
    constexpr std::uint8_t kApplication = 0, kMailbox = 1;
    constexpr std::size_t kAnswerHeader = 8, kMostText = 1008;
    if (call.input[0] > kMailbox) return kBadSubcommand;
    const std::string text = call.input[0] == kApplication ? log::definitions(call.s) : std::string();
    const std::size_t first = std::min<std::size_t>(get(call.input, 4, 2), text.size());
    const std::string_view part = std::string_view(text).substr(first, kMostText);
    put(call.output, 0, first + part.size() == text.size(), 2);
    put(call.output, 2, part.size(), 2);
    put(call.output, 4, first + part.size(), 2);
    put_text(call.output, kAnswerHeader, part);
    return kSuccess;
}

}  // namespace switchtec::mrpc
