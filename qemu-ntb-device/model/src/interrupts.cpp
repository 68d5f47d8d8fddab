// SPDX-License-Identifier: MIT
#include "interrupts.h"

#include <algorithm>
#include <iterator>

#include "traffic.h"

namespace switchtec::interrupts {
namespace {

constexpr std::uint64_t kMessageBytes = 4;  // An MSI-X message is a posted write of a dword.

}  // namespace

void raise(State& s, unsigned partition, unsigned vector) {
    Partition& p = s.partition[partition];
    if (!p.host.attached || !p.host.bus_master || vector >= p.config().vectors) return;
    if (p.host.interrupt_order[vector] == 0) p.host.interrupt_order[vector] = ++s.order;
    wake(s, partition);
}

std::optional<unsigned> take(State& s, unsigned partition) {
    auto& order = s.partition[partition].host.interrupt_order;
    std::optional<unsigned> first;
    for (unsigned v = 0; v < kMaxVectors; ++v) {
        if (order[v] != 0 && (!first || order[v] < order[*first])) first = v;
    }
    if (first) {
        order[*first] = 0;
        traffic::count(s, partition, false, Tlp::Posted, 1, kMessageBytes);
    }
    return first;
}

void clear(State& s, unsigned partition) {
    std::ranges::fill(s.partition[partition].host.interrupt_order, 0);
}

}  // namespace switchtec::interrupts
