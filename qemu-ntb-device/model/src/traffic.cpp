// SPDX-License-Identifier: MIT
#include "traffic.h"

#include <algorithm>
#include <limits>

#include "events.h"
#include "ports.h"

namespace switchtec::traffic {
namespace {

// Beside the payload, of a TLP with a 64-bit address at 8 GT/s and above: framing with sequence number 4,
// LCRC 4, header 16 (completions 12). PCIe 5.0, 2.2.1 and 4.2.2.3.1.
constexpr std::uint64_t kRequestOverhead = 24, kCompletionOverhead = 20;

// Bits of an event counter's mask (switchtec-user 4.5, switchtec_evcntr_type_mask, from bit 8).
constexpr std::uint32_t kUnsupportedRequest = 1U << 8;
constexpr std::uint32_t kTlpBit[kTlps] = {1U << 28, 1U << 30, 1U << 29};  // By Tlp.
constexpr std::uint8_t kEgress = 0x80;

const Direction& direction(const Port& port, bool from_host) {
    return from_host ? port.ingress : port.egress;
}

std::uint64_t total(const State& s, unsigned stack, const EventCounter& counter) {
    const bool egress = (counter.direction & kEgress) != 0;
    std::uint64_t sum = 0;
    for (unsigned p = 0; p < s.partition_count; ++p) {
        const unsigned port = ports::of_partition(s, p);
        if (port / ports::kPerStack != stack || !(counter.mask >> port % ports::kPerStack & 1)) continue;
        const Port& of = s.partition[p].port;
        for (unsigned tlp = 0; tlp < kTlps; ++tlp) {
            if (counter.mask & kTlpBit[tlp]) sum += direction(of, !egress).tlps[tlp];
        }
        if (!egress && (counter.mask & kUnsupportedRequest)) sum += of.unsupported_requests;
    }
    return sum;
}

// The threshold event of each counter that has come to its threshold. Ours: once for each time it is set up
// or cleared.
void check_thresholds(State& s, unsigned partition) {
    if (s.armed_counters == 0) return;
    const unsigned stack = ports::of_partition(s, partition) / ports::kPerStack;
    for (EventCounter& counter : s.event_counter[stack]) {
        if (!counter.armed || value(s, stack, counter) < counter.threshold) continue;
        counter.armed = 0;
        --s.armed_counters;
        events::raise_port(s, partition, kPffEventThreshold);
    }
}

void arm(State& s, EventCounter& counter, bool armed) {
    s.armed_counters += static_cast<std::uint32_t>(armed) - counter.armed;
    counter.armed = armed;
}

}  // namespace

void count(State& s, unsigned partition, bool from_host, Tlp tlp, std::uint64_t tlps, std::uint64_t payload) {
    Port& port = s.partition[partition].port;
    Direction& way = from_host ? port.ingress : port.egress;
    way.tlps[static_cast<unsigned>(tlp)] += tlps;
    way.payload[static_cast<unsigned>(tlp)] += payload;
    check_thresholds(s, partition);
}

void count_unsupported(State& s, unsigned partition) {
    ++s.partition[partition].port.unsupported_requests;
    check_thresholds(s, partition);
}

void measured(State& s, unsigned from, unsigned to, std::uint64_t ns) {
    Port& port = s.partition[to].port;
    if (port.latency_from != kAllPorts && port.latency_from != ports::of_partition(s, from)) return;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint16_t>::max();
    port.latency_ns = static_cast<std::uint16_t>(std::min(ns, kMost));
    port.latency_max_ns = std::max(port.latency_max_ns, port.latency_ns);
}

std::uint64_t bytes(const Port& port, bool from_host, Tlp tlp) {
    const auto i = static_cast<unsigned>(tlp);
    const Direction& now = direction(port, from_host);
    const Direction& base = from_host ? port.cleared_ingress : port.cleared_egress;
    const std::uint64_t payload = now.payload[i] - base.payload[i];
    if (port.payload_only) return payload;
    return payload +
           (now.tlps[i] - base.tlps[i]) * (tlp == Tlp::Completion ? kCompletionOverhead : kRequestOverhead);
}

void clear(State& s, Port& port) {
    port.cleared_ingress = port.ingress;
    port.cleared_egress = port.egress;
    port.cleared_ns = s.now_ns;
}

std::uint32_t value(const State& s, unsigned stack, const EventCounter& counter) {
    return static_cast<std::uint32_t>(total(s, stack, counter) - counter.base);
}

void set_up(State& s, unsigned stack, EventCounter& counter, std::uint32_t mask, std::uint8_t direction,
            std::uint32_t threshold) {
    counter.mask = mask;
    counter.direction = direction;
    counter.threshold = threshold;
    clear(s, stack, counter);
}

void clear(State& s, unsigned stack, EventCounter& counter) {
    counter.base = total(s, stack, counter);
    arm(s, counter, counter.threshold != 0);
}

}  // namespace switchtec::traffic
