// SPDX-License-Identifier: MIT
#include "dbmsg.h"

#include <algorithm>
#include <bit>

#include "interrupts.h"

namespace switchtec::dbmsg {
namespace {

constexpr unsigned kMessageVectors = 60;  // idb_vec_map[60..63] belong to imsg[0..3].
constexpr std::uint8_t kPresent = 1, kEnabled = 1;

void interrupt_for_bits(State& s, unsigned partition, std::uint64_t bits) {
    const Doorbells& d = s.partition[partition].doorbells;
    for (std::uint64_t left = bits & d.in & d.in_mask; left != 0; left &= left - 1) {
        interrupts::raise(s, partition, d.vector_map[std::countr_zero(left)]);
    }
}

void interrupt_for_message(State& s, unsigned partition, unsigned index) {
    const Doorbells& d = s.partition[partition].doorbells;
    const InMessage& in = d.inbound[index];
    if ((in.status & kPresent) && (in.mask & kEnabled)) {
        interrupts::raise(s, partition, d.vector_map[kMessageVectors + index]);
    }
}

bool listens(const State& s, unsigned partition, unsigned index) {
    return s.partition[partition].doorbells.vector_map[kMessageVectors + index] != kNoVector;
}

bool free(const InMessage& in) {
    return in.status == 0 && !in.gap;
}

bool waits_for(const OutMessage& out, unsigned partition, unsigned index) {
    return (out.status & kMessageWaiting) && out.target == partition && out.inbound == index;
}

void deliver(State& s, unsigned sender, OutMessage& out) {
    InMessage& in = s.partition[out.target].doorbells.inbound[out.inbound];
    in.message = out.message;
    in.source = static_cast<std::uint8_t>(sender);
    ordered();
    in.status = kPresent;
    ordered();
    out.status = 0;
}

void deliver_next(State& s, unsigned partition, unsigned index) {
    OutMessage* first = nullptr;
    unsigned sender = 0;
    for (unsigned p = 0; p < s.partition_count; ++p) {
        for (OutMessage& out : s.partition[p].doorbells.out) {
            if (!waits_for(out, partition, index) || (first && first->order < out.order)) continue;
            first = &out;
            sender = p;
        }
    }
    if (!first) return;
    deliver(s, sender, *first);
    interrupt_for_message(s, partition, index);
}

}  // namespace

void ring(State& s, unsigned sender, std::uint64_t bits) {
    const std::uint64_t allowed = bits & s.partition[sender].doorbells.out_mask;
    if (allowed == 0) return;
    const std::uint64_t targets = reach(s, sender);
    for (unsigned p = 0; p < s.partition_count; ++p) {
        if (!(targets & bit(p)) || !attached(s, p)) continue;
        s.partition[p].doorbells.in |= allowed;
        interrupt_for_bits(s, p, allowed);
    }
}

void write_in_mask(State& s, unsigned partition, std::uint64_t mask) {
    Doorbells& d = s.partition[partition].doorbells;
    const std::uint64_t unmasked = mask & ~d.in_mask;
    d.in_mask = mask;
    interrupt_for_bits(s, partition, unmasked);
}

void send(State& s, unsigned sender, unsigned index, std::uint32_t message) {
    Doorbells& d = s.partition[sender].doorbells;
    OutMessage& out = d.out[index];
    const std::uint32_t route = d.message_map >> (8 * index) & 0xFF;
    const unsigned target = route >> 2;
    const unsigned inbound = route & 3;
    out.status = 0;
    ordered();
    out.message = message;
    out.target = static_cast<std::uint8_t>(target);
    out.inbound = static_cast<std::uint8_t>(inbound);
    out.order = ++s.order;
    ordered();
    if (!(reach(s, sender) & bit(target)) || !attached(s, target) || !listens(s, target, inbound)) {
        out.status = kMessageUndelivered;
        return;
    }
    out.status = kMessageWaiting;
    ordered();
    // Behind an unread one it waits, and the interrupt is sent again: the first may have gone to a vector
    // that nobody served.
    if (free(s.partition[target].doorbells.inbound[inbound])) {
        deliver_next(s, target, inbound);
    } else {
        interrupt_for_message(s, target, inbound);
    }
}

void write_vector(State& s, unsigned partition, unsigned index, std::uint8_t vector) {
    Doorbells& d = s.partition[partition].doorbells;
    if (index >= kMessageVectors && vector != kNoVector) d.inbound[index - kMessageVectors].gap = 1;
    ordered();
    d.vector_map[index] = vector;
}

void clear_in_message(State& s, unsigned partition, unsigned index) {
    InMessage& in = s.partition[partition].doorbells.inbound[index];
    if (in.status == 0) return;
    in.gap = 1;
    ordered();
    in.status = 0;
}

unsigned gaps(const State& s, unsigned partition) {
    unsigned bits = 0;
    for (unsigned i = 0; i < kMessages; ++i) {
        bits |= static_cast<unsigned>(s.partition[partition].doorbells.inbound[i].gap) << i;
    }
    return bits;
}

void end_gaps(State& s, unsigned partition) {
    for (unsigned i = 0; i < kMessages; ++i) {
        InMessage& in = s.partition[partition].doorbells.inbound[i];
        if (!in.gap) continue;
        in.gap = 0;
        ordered();
        deliver_next(s, partition, i);
    }
}

void write_in_message_mask(State& s, unsigned partition, unsigned index, std::uint8_t mask) {
    InMessage& in = s.partition[partition].doorbells.inbound[index];
    const bool unmasked = (mask & ~in.mask & kEnabled) != 0;
    in.mask = mask;
    if (unmasked) interrupt_for_message(s, partition, index);
}

void power_on(State& s, unsigned partition) {
    for (unsigned p = 0; p < s.partition_count; ++p) {
        for (OutMessage& out : s.partition[p].doorbells.out) {
            if ((out.status & kMessageWaiting) && out.target == partition) out.status = kMessageUndelivered;
        }
    }
    s.partition[partition].doorbells = Doorbells{};
    std::ranges::fill(s.partition[partition].doorbells.vector_map, kNoVector);
}

void raise_pending(State& s, unsigned partition) {
    for (unsigned i = 0; i < kMessages; ++i) interrupt_for_message(s, partition, i);
    interrupt_for_bits(s, partition, ~0ULL);
}

void repair(State& s, unsigned partition) {
    for (unsigned i = 0; i < kMessages; ++i) {
        if (free(s.partition[partition].doorbells.inbound[i])) deliver_next(s, partition, i);
    }
}

}  // namespace switchtec::dbmsg
