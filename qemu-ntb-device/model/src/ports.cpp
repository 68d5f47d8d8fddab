// SPDX-License-Identifier: MIT
#include "ports.h"

#include <algorithm>
#include <array>

#include "identity.h"

namespace switchtec::ports {
namespace {

std::array<std::uint8_t, kMaxPartitions> assign(const State& s) {
    std::array<std::uint8_t, kMaxPartitions> port{};
    unsigned next = 0;
    for (unsigned p = 0; p < s.partition_count; ++p) {
        const unsigned numbers = std::max(1U, s.partition[p].config().link_width / 2U);
        next = (next + numbers - 1) / numbers * numbers;
        port[p] = static_cast<std::uint8_t>(next);
        next += numbers;
    }
    if (next > kStacks * kPerStack) {
        for (unsigned p = 0; p < s.partition_count; ++p) port[p] = static_cast<std::uint8_t>(p);
    }
    return port;
}

}  // namespace

unsigned count(const State& s) {
    switch (identity(s).generation) {
        case 3:
            return 48;
        case 4:
            return 52;
        default:
            return 60;
    }
}

unsigned of_partition(const State& s, unsigned partition) {
    return assign(s)[partition];
}

std::optional<unsigned> partition_at(const State& s, unsigned port) {
    const auto all = assign(s);
    const auto* end = all.begin() + s.partition_count;
    const auto* found = std::find(all.begin(), end, port);
    if (found == end) return std::nullopt;
    return static_cast<unsigned>(found - all.begin());
}

}  // namespace switchtec::ports
