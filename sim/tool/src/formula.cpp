// SPDX-License-Identifier: MIT
#include "formula.h"

#include <algorithm>

namespace ntblab::sim {
namespace {

// Skip ordered sets: 4 symbols in 1538.
constexpr double kSkips = 4.0 / 1538;

std::uint64_t parts(std::uint64_t size, std::uint64_t most) {
    return (size + most - 1) / most;
}

}  // namespace

std::uint32_t wire_cost(pcie::TlpType type) {
    pcie::Tlp tlp;
    tlp.type = type;
    return pcie::Encoding(3, 8).tlp_bytes(tlp);
}

double infiniband_hdr(std::uint64_t mtu) {
    constexpr double kRate = 25;                   // 200 Gb/s, as 64b/66b and FEC leave it.
    constexpr unsigned kHeaders = 8 + 12 + 4 + 2;  // LRH, BTH, ICRC, VCRC; RETH is of the first packet only.
    return kRate * static_cast<double>(mtu) / static_cast<double>(mtu + kHeaders);
}

double Formula::tlp_gigabits() const {
    const pcie::Encoding encoding(generation, lanes);
    // Of an acknowledgement, and of an UpdateFC, which are due as often.
    const double dllp = static_cast<double>(pcie::kDllpBytes) / encoding.update_latency_symbols(mps);
    return encoding.gigabits() * (1 - 2 * dllp - kSkips);
}

std::uint64_t Formula::write_bytes(std::uint64_t size) const {
    return size + parts(size, mps) * wire_cost(pcie::TlpType::memory_write);
}
std::uint64_t Formula::request_bytes(std::uint64_t size) const {
    return parts(size, mrrs) * wire_cost(pcie::TlpType::memory_read);
}
std::uint64_t Formula::completion_bytes(std::uint64_t size) const {
    return size + parts(size, split_at_every_rcb ? rcb : mps) * wire_cost(pcie::TlpType::completion);
}

double Formula::write_gigabits(std::uint64_t size) const {
    return tlp_gigabits() * static_cast<double>(size) / static_cast<double>(write_bytes(size));
}

double Formula::read_gigabits(std::uint64_t size) const {
    const std::uint64_t fuller = std::max(request_bytes(size), completion_bytes(size));
    return tlp_gigabits() * static_cast<double>(size) / static_cast<double>(fuller);
}

double Formula::both_gigabits(std::uint64_t size) const {
    const std::uint64_t fuller = std::max(write_bytes(size) + request_bytes(size), completion_bytes(size));
    return tlp_gigabits() * static_cast<double>(size) / static_cast<double>(fuller);
}

}  // namespace ntblab::sim
