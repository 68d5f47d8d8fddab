// SPDX-License-Identifier: MIT
#include "mrpc.h"

#include <algorithm>

#include "events.h"

namespace switchtec::mrpc {
namespace {

constexpr std::uint32_t kCommandMask = 0xFFFF;  // Above are PAX ids.
constexpr std::uint8_t kPhaseFirmware =
    3;  // Device info, word 0: [7:0] phase, [11:8] revision, [15:12] generation, 0: Gen4.

void answer_complement(Mrpc& m, unsigned offset) {
    std::transform(m.input, m.input + 4, m.output + offset,
                   [](std::uint8_t b) { return static_cast<std::uint8_t>(~b); });
}

bool execute(Mrpc& m, std::uint32_t command) {
    std::ranges::fill(m.output, 0);
    switch (command) {
        case kMrpcEcho:
            answer_complement(m, 0);
            return true;
        case kMrpcDeviceInfo:
            m.output[0] = kPhaseFirmware;
            answer_complement(m, 4);
            return true;
        default:
            return false;
    }
}

}  // namespace

void run(State& s, unsigned partition, std::uint32_t command) {
    Mrpc& m = s.partition[partition].mrpc;
    m.command = command;
    const bool known = execute(m, command & kCommandMask);
    m.result = known ? 0 : kMrpcBadCommand;
    m.status = known ? kMrpcDone : kMrpcError;
    events::raise_partition(s, partition, kPartEventMrpcComp);
}

}  // namespace switchtec::mrpc
