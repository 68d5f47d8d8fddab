// SPDX-License-Identifier: MIT
// Commands about the physical ports. Each is the upstream port of a partition, and up while the partition's
// host is attached.
#include "bytes.h"
#include "mrpc_commands.h"
#include "ports.h"

namespace switchtec::mrpc {
namespace {

// Errors of PORTPARTP2P and STACKBIF alone.
constexpr std::uint32_t kNoSuchPort = 4, kTargetIsUpstream = 8, kBindSubcommand = 9;
constexpr std::uint32_t kBadBifurcationStack = 0x54003, kBifurcationSubcommand = 0x54040,
                        kPortBound = 0x54043;

constexpr std::size_t kStatusSize = 12;
constexpr std::uint8_t kUnbound = 0xFF;
constexpr std::uint16_t kLtssmDetect = 0x0100, kLtssmL0 = 0x0103;  // Quiet; L0.

void put_status(const Call& call, unsigned port, std::span<std::uint8_t> to) {
    const auto partition = ports::partition_at(call.s, port);
    to[0] = static_cast<std::uint8_t>(port);
    to[1] = kUnbound;
    to[3] = kUnbound;  // A stack that no switch has: the port is not there.
    if (!partition) return;
    const PartitionConfig& config = call.s.partition[*partition].config();
    const bool up = attached(call.s, *partition);
    to[1] = static_cast<std::uint8_t>(*partition);
    to[2] = 0;  // Logical port: upstream.
    to[3] = static_cast<std::uint8_t>(port / ports::kPerStack << 4 | port % ports::kPerStack);
    to[4] = config.link_width;
    to[5] = up ? config.link_width : 0;
    to[6] = 1;
    to[7] = static_cast<std::uint8_t>(up ? 0x80 | config.link_generation : 0);
    put(to, 8, up ? kLtssmL0 : kLtssmDetect, 2);
}

std::uint8_t bifurcation_code(unsigned width) {
    switch (width) {
        case 1:
            return 0xF;
        default:
            return static_cast<std::uint8_t>(width / 2);  // x2: 1, x4: 2, x8: 4, x16: 8.
    }
}

}  // namespace

// Input: a bitmap of ports. Ours: 0 means all.
std::uint32_t link_status(const Call& call) {
    const std::uint64_t wanted = get(call.input, 0, 8);
    for (unsigned port = 0; port < ports::count(call.s); ++port) {
        const auto to = call.output.subspan(port * kStatusSize, kStatusSize);
        if (wanted == 0 || (wanted >> port & 1) != 0) {
            put_status(call, port, to);
        } else {
            to[0] = static_cast<std::uint8_t>(port);
            to[1] = to[3] = kUnbound;
        }
    }
    return kSuccess;
}

std::uint32_t binding(const Call& call) {
    constexpr std::uint8_t kBind = 0, kUnbind = 1, kInfo = 2, kAll = 0xFF;
    constexpr std::uint8_t kIsBound = 0x10;  // [3:0] success, [7:4] bound.
    const std::uint8_t subcommand = call.input[0];
    if (subcommand == kBind)
        return ports::partition_at(call.s, call.input[3]) ? kTargetIsUpstream : kNoSuchPort;
    if (subcommand == kUnbind)
        return call.input[1] < call.s.partition_count ? kTargetIsUpstream : kNoSuchPort;
    if (subcommand != kInfo) return kBindSubcommand;
    const std::uint8_t wanted = call.input[1];
    if (wanted != kAll && !ports::partition_at(call.s, wanted)) return kNoSuchPort;
    unsigned count = 0;
    for (unsigned port = 0; port < ports::kStacks * ports::kPerStack; ++port) {
        const auto partition = ports::partition_at(call.s, port);
        if (!partition || (wanted != kAll && wanted != port)) continue;
        const auto to = call.output.subspan(4 + 4 * count++, 4);
        to[0] = static_cast<std::uint8_t>(port);
        to[1] = static_cast<std::uint8_t>(*partition);
        to[2] = 0;  // Logical port: upstream.
        to[3] = kIsBound;
    }
    call.output[0] = static_cast<std::uint8_t>(count);
    return kSuccess;
}

std::uint32_t bifurcation(const Call& call) {
    constexpr std::uint8_t kGet = 0, kSet = 1;
    const std::uint8_t subcommand = call.input[0], stack = call.input[1];
    if (subcommand > kSet) return kBifurcationSubcommand;
    if (stack >= ports::kStacks) return kBadBifurcationStack;
    if (subcommand != kGet) return kPortBound;
    std::uint32_t code = 0;
    for (unsigned i = 0; i < ports::kPerStack; ++i) {
        const auto partition = ports::partition_at(call.s, stack * ports::kPerStack + i);
        if (partition)
            code |= std::uint32_t{bifurcation_code(call.s.partition[*partition].config().link_width)}
                    << 4 * i;
    }
    call.output[1] = stack;
    put(call.output, 4, code, 4);
    return kSuccess;
}

}  // namespace switchtec::mrpc
