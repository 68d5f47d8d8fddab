// SPDX-License-Identifier: MIT
#include "tlp_bytes.h"

namespace ntblab::sim {

using pcie::Tlp;
using pcie::TlpType;

namespace {

constexpr unsigned kDw = 4;

void put(std::vector<std::uint8_t>& bytes, std::uint64_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// Fmt and Type.
std::uint32_t type_of(const Tlp& tlp) {
    switch (tlp.type) {
        case TlpType::memory_write:
            return 0x60;
        case TlpType::memory_read:
            return 0x20;
        case TlpType::completion:
            return tlp.length > 0 ? 0x4a : 0x0a;
        case TlpType::message:  // local, terminated at the receiver
            return tlp.length > 0 ? 0x74 : 0x34;
    }
    return 0;
}

/// Last and first, of a request.
std::uint32_t byte_enables(const Tlp& tlp) {
    const auto begin = static_cast<std::uint32_t>(tlp.address % kDw);
    const std::uint32_t end = begin + tlp.length;  // from the first DW's beginning
    const std::uint32_t first = (0xfU << begin) & 0xfU;
    const std::uint32_t last = 0xfU >> (kDw * dws_of(tlp) - end);
    return dws_of(tlp) <= 1 ? first & last : last << 4 | first;
}

}  // namespace

std::uint32_t dws_of(const Tlp& tlp) {
    return (static_cast<std::uint32_t>(tlp.address % kDw) + tlp.length + kDw - 1) / kDw;
}

std::vector<std::uint8_t> header_of(const Tlp& tlp) {
    constexpr std::uint32_t kVendorDefined = 0x7f;  // type 1, which who does not know it drops
    std::vector<std::uint8_t> bytes;
    const std::uint32_t attributes = (tlp.id_ordering ? 1U << 18 : 0) | (tlp.relaxed_ordering ? 1U << 13 : 0);
    const std::uint32_t high_tag = (tlp.tag >> 9 & 1U) << 23 | (tlp.tag >> 8 & 1U) << 19;
    put(bytes, type_of(tlp) << 24 | high_tag | attributes | (tlp.length > 0 ? dws_of(tlp) & 0x3ffU : 0), kDw);
    if (tlp.type == TlpType::completion) {
        put(bytes, tlp.completer, 2);
        put(bytes, (tlp.unsupported ? 1U << 13 : 0) | (tlp.remaining & 0xfffU), 2);
        put(bytes, tlp.requester, 2);
        put(bytes, tlp.tag & 0xffU, 1);
        put(bytes, tlp.address & 0x7fU, 1);
        return bytes;
    }
    put(bytes, tlp.requester, 2);
    put(bytes, tlp.tag & 0xffU, 1);
    put(bytes, tlp.type == TlpType::message ? kVendorDefined : byte_enables(tlp), 1);
    put(bytes, tlp.type == TlpType::message ? tlp.address : tlp.address & ~std::uint64_t{3}, 8);
    return bytes;
}

}  // namespace ntblab::sim
