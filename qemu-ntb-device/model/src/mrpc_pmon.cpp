// SPDX-License-Identifier: MIT
// PMON: bandwidth, latency and event counters (switchtec-user 4.5, inc/switchtec/pmon.h).
#include "bytes.h"
#include "mrpc_commands.h"
#include "ports.h"
#include "traffic.h"

namespace switchtec::mrpc {
namespace {

enum Subcommand : std::uint8_t {
    kSetUpEvents = 0,
    kGetBandwidth = 1,
    kGetEvents = 2,
    kGetEventSetUp = 3,
    kSetUpLatency = 4,
    kGetLatencySetUp = 5,
    kGetLatency = 6,
    kSetBandwidth = 12,
};

Port* port_at(const Call& call, unsigned number) {
    const auto partition = ports::partition_at(call.s, number);
    return partition ? &call.s.partition[*partition].port : nullptr;
}

// Runs visit(port, i) for `count` ports, whose numbers are `stride` bytes apart. The first pass only looks
// whether they are all there, so that a command with an error changes nothing.
template <typename Visit>
std::uint32_t for_each_port(const Call& call, unsigned count, std::size_t first, std::size_t stride,
                            std::size_t output, Visit visit) {
    if (first + count * stride > call.input.size() || count * output > call.output.size())
        return kBadParameter;
    for (unsigned i = 0; i < count; ++i) {
        if (!port_at(call, call.input[first + i * stride])) return kBadPort;
    }
    for (unsigned i = 0; i < count; ++i) visit(*port_at(call, call.input[first + i * stride]), i);
    return kSuccess;
}

// In: count, then port and "clear" of each. Out: microseconds, then bytes out and in by class.
std::uint32_t get_bandwidth(const Call& call) {
    constexpr std::size_t kSize = 56;
    constexpr Tlp kOrder[] = {Tlp::Posted, Tlp::Completion, Tlp::NonPosted};
    return for_each_port(call, call.input[1], 2, 2, kSize, [&](Port& port, unsigned i) {
        put(call.output, i * kSize, (call.s.now_ns - port.cleared_ns) / 1000, 8);
        std::size_t at = i * kSize + 8;
        for (bool from_host : {false, true}) {
            for (Tlp tlp : kOrder) {
                put(call.output, at, traffic::bytes(port, from_host, tlp), 8);
                at += 8;
            }
        }
        if (call.input[3 + 2 * i] != 0) traffic::clear(call.s, port);
    });
}

// In: count, then port and type (0 with headers, 1 payload) of each. Starts anew.
std::uint32_t set_bandwidth(const Call& call) {
    return for_each_port(call, call.input[1], 2, 2, 0, [&](Port& port, unsigned i) {
        port.payload_only = call.input[3 + 2 * i] != 0;
        traffic::clear(call.s, port);
    });
}

// In: count, then egress and ingress port of each; 0x3F: every ingress port.
std::uint32_t set_up_latency(const Call& call) {
    const unsigned count = call.input[1];
    for (unsigned i = 0; i < count && 3 + 2 * i < call.input.size(); ++i) {
        const std::uint8_t ingress = call.input[3 + 2 * i];
        if (ingress != kAllPorts && !port_at(call, ingress)) return kBadPort;
    }
    return for_each_port(call, count, 2, 2, 0, [&](Port& port, unsigned i) {
        port.latency_from = call.input[3 + 2 * i];
        port.latency_ns = port.latency_max_ns = 0;
    });
}

std::uint32_t get_latency_set_up(const Call& call) {
    return for_each_port(call, call.input[1], 3, 1, 1,
                         [&](const Port& port, unsigned i) { call.output[i] = port.latency_from; });
}

// In: count, "clear", egress ports. Out: last and largest, in ns.
std::uint32_t get_latency(const Call& call) {
    return for_each_port(call, call.input[1], 3, 1, 4, [&](Port& port, unsigned i) {
        put(call.output, std::size_t{4} * i, port.latency_ns, 2);
        put(call.output, std::size_t{4} * i + 2, port.latency_max_ns, 2);
        if (call.input[2] != 0) port.latency_ns = port.latency_max_ns = 0;
    });
}

// In: stack, first counter, count, then what each command has. Runs visit(counter, i).
template <typename Visit>
std::uint32_t for_each_counter(const Call& call, std::size_t input, std::size_t output, Visit visit) {
    const unsigned stack = call.input[1], first = call.input[2], count = call.input[3];
    if (stack >= kCountedStacks) return kBadStack;
    if (first + count > kEventCounters || 4 + count * input > call.input.size() ||
        count * output > call.output.size())
        return kBadParameter;
    for (unsigned i = 0; i < count; ++i) visit(call.s.event_counter[stack][first + i], i);
    return kSuccess;
}

constexpr std::size_t kSetUpSize = 9;  // Mask, direction, threshold.

std::uint32_t set_up_events(const Call& call) {
    return for_each_counter(call, kSetUpSize, 0, [&](EventCounter& counter, unsigned i) {
        const auto from = call.input.subspan(4 + kSetUpSize * i, kSetUpSize);
        traffic::set_up(call.s, call.input[1], counter, static_cast<std::uint32_t>(get(from, 0, 4)), from[4],
                        static_cast<std::uint32_t>(get(from, 5, 4)));
    });
}

std::uint32_t get_event_set_up(const Call& call) {
    return for_each_counter(call, 0, kSetUpSize, [&](const EventCounter& counter, unsigned i) {
        const auto to = call.output.subspan(kSetUpSize * i, kSetUpSize);
        put(to, 0, counter.mask, 4);
        to[4] = counter.direction;
        put(to, 5, counter.threshold, 4);
    });
}

std::uint32_t get_events(const Call& call) {
    constexpr std::size_t kSize = 8;  // Count, threshold.
    return for_each_counter(call, 0, kSize, [&](EventCounter& counter, unsigned i) {
        put(call.output, kSize * i, traffic::value(call.s, call.input[1], counter), 4);
        put(call.output, kSize * i + 4, counter.threshold, 4);
        if (call.input[4] != 0) traffic::clear(call.s, call.input[1], counter);
    });
}

}  // namespace

std::uint32_t performance(const Call& call) {
    switch (call.input[0]) {
        case kSetUpEvents:
            return set_up_events(call);
        case kGetBandwidth:
            return get_bandwidth(call);
        case kGetEvents:
            return get_events(call);
        case kGetEventSetUp:
            return get_event_set_up(call);
        case kSetUpLatency:
            return set_up_latency(call);
        case kGetLatencySetUp:
            return get_latency_set_up(call);
        case kGetLatency:
            return get_latency(call);
        case kSetBandwidth:
            return set_bandwidth(call);
        default:
            return kBadSubcommand;
    }
}

}  // namespace switchtec::mrpc
