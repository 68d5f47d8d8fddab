// SPDX-License-Identifier: MIT
#include "events.h"

#include "interrupts.h"

namespace switchtec::events {
namespace {

constexpr unsigned kEventVector = 0;  // part_cfg[].vep_vector_number
constexpr std::uint32_t kStored = kEventEnableLog | kEventEnableCli | kEventEnableIrq | kEventFatal;
constexpr std::uint32_t kCountMask = 0xFFU << kEventCountShift;

void interrupt(State& s, unsigned mrpc_of) {
    if (mrpc_of != kNobody) {
        interrupts::raise(s, mrpc_of, kEventVector);
        return;
    }
    for (unsigned p = 0; p < s.partition_count; ++p) interrupts::raise(s, p, kEventVector);
}

void record(std::uint32_t& header) {
    const std::uint32_t count = (header + (1U << kEventCountShift)) & kCountMask;
    header = (header & ~kCountMask) | count | kEventOccurred;
}

// An MSI for every count, whether or not the last one was seen: link_state's "occurred" is never cleared by
// the driver's interrupt handler (Linux 6.12 switchtec.c, check_link_state_events).
void raise(State& s, std::uint32_t& header, unsigned mrpc_of) {
    record(header);
    if (header & kEventEnableIrq) interrupt(s, mrpc_of);
}

bool due(std::uint32_t header) {
    return (header & kEventOccurred) && (header & kEventEnableIrq);
}

}  // namespace

void raise_partition(State& s, unsigned partition, unsigned event) {
    raise(s, s.partition[partition].events[event], event == kPartEventMrpcComp ? partition : kNobody);
}

void record_partition(State& s, unsigned partition, unsigned event) {
    record(s.partition[partition].events[event]);
}

void raise_port(State& s, unsigned partition, unsigned event) {
    raise(s, s.partition[partition].pff_events[0][event], kNobody);
}

void write_header(State& s, std::uint32_t& header, Written w, unsigned mrpc_of) {
    if (header & kEventNotSupported) return;
    const bool was_due = due(header);
    const auto enables = w.over(header) & kStored;
    const std::uint32_t occurred = header & ~w.bits() & kEventOccurred;
    header = (header & (kCountMask | kEventNotSupported)) | enables | occurred;
    if (due(header) && !was_due) interrupt(s, mrpc_of);
}

std::uint32_t summary(const std::uint32_t* headers, unsigned count) {
    std::uint32_t result = 0;
    for (unsigned i = 0; i < count; ++i) result |= (headers[i] & kEventOccurred) << i;
    return result;
}

void raise_all(State& s) {
    for (std::uint32_t header : s.events) {
        if (due(header)) interrupt(s, kNobody);
    }
    for (unsigned p = 0; p < s.partition_count; ++p) {
        for (unsigned e = 0; e < kPartEvents; ++e) {
            if (due(s.partition[p].events[e])) interrupt(s, e == kPartEventMrpcComp ? p : kNobody);
        }
        for (const auto& headers : s.partition[p].pff_events) {
            for (std::uint32_t header : headers) {
                if (due(header)) interrupt(s, kNobody);
            }
        }
    }
}

}  // namespace switchtec::events
