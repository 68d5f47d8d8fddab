// SPDX-License-Identifier: MIT
#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "identity.h"

namespace switchtec {
namespace {

using ntblab::fail;
using ntblab::Result;

constexpr std::uint64_t kSmallestBar = 64ULL << 10;
constexpr std::uint64_t kLargestBar = 1ULL << 46;

Result<void> in_range(const std::string& where, const char* field, unsigned value, unsigned low,
                      unsigned high) {
    if (value >= low && value <= high) return {};
    return fail(fmt::format("{}: {} is {}; set it to {}..{}", where, field, value, low, high));
}

Result<void> check_bar(const std::string& where, const char* field, std::uint64_t size) {
    if (size == 0 || (std::has_single_bit(size) && size >= kSmallestBar && size <= kLargestBar)) return {};
    return fail(
        fmt::format("{}: {} is {} bytes; set it to 0 (no window) or a power of two from 64 KiB to 64 TiB",
                    where, field, size));
}

Result<void> check_device(std::uint16_t vendor, std::uint16_t device) {
    if (identify(vendor, device)) return {};
    return fail(
        fmt::format("switch device {:04x}:{:04x} is none that is modelled: use a Switchtec PFX, PSX, PFXA or "
                    "PSXA of Gen3 to Gen5 (11f8:8531..8576, 4000..4484, 5000..5484) or a PCI100x "
                    "(1055:1001..1006, 1055:1008)",
                    vendor, device));
}

}  // namespace

Result<void> check(const PartitionConfig& c, unsigned partition, std::size_t count) {
    const std::string where = fmt::format("partition {}", partition);
    for (const auto& result : {
             check_bar(where, "bar2_size", c.bar2_size),
             check_bar(where, "bar4_size", c.bar4_size),
             in_range(where, "lut_entries", c.lut_entries, 0, 512),
             in_range(where, "requester_ids", c.requester_ids, 2, 512),
             in_range(where, "link_generation", c.link_generation, 1, 5),
             in_range(where, "vectors", c.vectors, 4, 32),
             in_range(where, "mrpc_dma_version", c.mrpc_dma_version, 0, 1),
         }) {
        if (!result) return result;
    }
    if (!std::has_single_bit(c.link_width) || c.link_width > 16) {
        return fail(fmt::format("{}: link_width is {}; set it to 1, 2, 4, 8 or 16", where, c.link_width));
    }
    if (c.function == Function::Management && (c.bar2_size | c.bar4_size | c.targets) != 0) {
        return fail(
            fmt::format("{}: a management endpoint has windows (bar2_size {}, bar4_size {}) or targets "
                        "({:#x}); set them to 0",
                        where, c.bar2_size, c.bar4_size, c.targets));
    }
    if ((c.targets >> count) != 0 || (c.targets >> partition & 1) != 0) {
        return fail(fmt::format("{}: targets is {:#x}; set only bits of the other partitions, 0..{}", where,
                                c.targets, count - 1));
    }
    return {};
}

Result<void> check(const ChipConfig& config) {
    if (auto result = check_device(config.vendor_id, config.device_id); !result) return result;
    const auto count = config.partitions.size();
    if (count == 0 || count > kMaxPartitions) {
        return fail(fmt::format("the switch has {} partitions; give it 1..{}", count, kMaxPartitions));
    }
    for (unsigned p = 0; p < count; ++p) {
        if (auto result = check(config.partitions[p], p, count); !result) return result;
    }
    return {};
}

}  // namespace switchtec
