// SPDX-License-Identifier: MIT
#include "windows.h"

#include <algorithm>

#include "control.h"

namespace switchtec::windows {
namespace {

constexpr unsigned kWindowBars[] = {2, 4};
constexpr std::uint64_t kPage = 4096;

// Something in a BAR, before it is known whether the target can be reached.
struct Piece {
    unsigned target;
    std::uint64_t address;
    std::uint64_t size;  // Contiguous bytes from here on.
};

std::optional<Piece> lut_piece(const NtbSetup& setup, std::uint64_t offset) {
    const std::uint64_t entry = setup.lut[offset >> kLutLog2];
    if (!(entry & kLutValid)) return std::nullopt;
    const std::uint64_t inside = offset & (kLutBytes - 1);
    return Piece{lut_target(entry), (entry & ~(kLutBytes - 1)) | inside, kLutBytes - inside};
}

// Upper bits are replaced, the low bits of the BAR offset pass through (switchtec-kernel issue 94).
std::optional<Piece> direct_piece(const NtbSetup& setup, unsigned bar, std::uint64_t begin,
                                  std::uint64_t offset) {
    const std::uint64_t size = direct_size(setup, bar);
    if (!(setup.bar_ctl[bar] & kBarDirect) || offset - begin >= size) return std::nullopt;
    const std::uint64_t span = bit(setup.bar_size[bar] & 0x3F);
    const std::uint64_t inside = offset & (span - 1);
    return Piece{direct_target(setup, bar), (setup.bar_translation[bar] & ~(span - 1)) | inside,
                 std::min(span - inside, begin + size - offset)};
}

std::optional<Piece> piece(const Partition& p, unsigned bar, std::uint64_t offset) {
    if (offset >= bar_size(p.config(), bar)) return std::nullopt;
    const NtbSetup& setup = p.control.active;
    const std::uint64_t lut = lut_bytes(p.config(), setup, bar);
    return offset < lut ? lut_piece(setup, offset) : direct_piece(setup, bar, lut, offset);
}

// The entry of the active requester-ID table that lists `requester_id`.
std::optional<unsigned> requester_entry(const Partition& p, std::uint16_t requester_id) {
    const auto& table = p.control.active.requester;
    const auto* end = table + p.config().requester_ids;
    const auto* found = std::find(table, end, (std::uint32_t{requester_id} << 16) | kRequesterValid);
    if (found == end) return std::nullopt;
    return static_cast<unsigned>(found - table);
}

bool reachable(const State& s, unsigned target) {
    return target < s.partition_count && attached(s, target) && s.partition[target].host.bus_master;
}

void append(std::vector<WindowSpan>& spans, const WindowSpan& next) {
    if (!spans.empty()) {
        WindowSpan& last = spans.back();
        if (last.bar == next.bar && last.target == next.target && last.offset + last.size == next.offset &&
            last.address + last.size == next.address) {
            last.size += next.size;
            return;
        }
    }
    spans.push_back(next);
}

void disable_target(NtbSetup& setup, unsigned target) {
    for (std::uint64_t& entry : setup.lut) {
        if ((entry & kLutValid) && lut_target(entry) == target) entry = 0;
    }
    for (unsigned bar : kWindowBars) {
        if (!(setup.bar_ctl[bar] & kBarDirect) || direct_target(setup, bar) != target) continue;
        setup.bar_ctl[bar] &= ~kBarDirect;
        ordered();
        setup.bar_size[bar] = 0;
        setup.bar_size_ext[bar] = 0;
        setup.bar_translation[bar] = 0;
    }
}

}  // namespace

std::optional<unsigned> first_bar(const PartitionConfig& config) {
    for (unsigned bar : kWindowBars) {
        if (bar_size(config, bar) != 0) return bar;
    }
    return std::nullopt;
}

std::uint64_t lut_bytes(const PartitionConfig& config, const NtbSetup& setup, unsigned bar) {
    if (first_bar(config) != bar || !(setup.bar_ctl[bar] & kBarLut)) return 0;
    return (((setup.bar_ctl[bar] >> kBarLutCountShift) & kBarLutCountMask) + 1) * kLutBytes;
}

std::uint64_t direct_size(const NtbSetup& setup, unsigned bar) {
    return (std::uint64_t{setup.bar_size_ext[bar]} << 32) | (setup.bar_size[bar] & ~std::uint32_t{kPage - 1});
}

unsigned direct_target(const NtbSetup& setup, unsigned bar) {
    return setup.bar_translation[bar] & (kPage - 1);
}

unsigned lut_target(std::uint64_t entry) {
    return (entry & (kLutBytes - 1)) >> 1;
}

bool requester_allowed(const State& s, unsigned partition, std::uint16_t requester_id) {
    const Partition& p = s.partition[partition];
    return (p.control.active.control & kCtrlProtectionOff) || requester_entry(p, requester_id);
}

unsigned proxy_of(const State& s, unsigned partition, std::uint16_t requester_id) {
    return control::proxy(requester_entry(s.partition[partition], requester_id).value_or(0));
}

std::optional<Translation> translate(const State& s, unsigned partition, unsigned bar, std::uint64_t offset,
                                     std::uint16_t requester_id) {
    if (!attached(s, partition) || !requester_allowed(s, partition, requester_id)) return std::nullopt;
    const auto found = piece(s.partition[partition], bar, offset);
    if (!found || !reachable(s, found->target)) return std::nullopt;
    return Translation{static_cast<std::uint8_t>(found->target), found->address};
}

std::vector<WindowSpan> spans(const State& s, unsigned partition) {
    std::vector<WindowSpan> result;
    if (!attached(s, partition) || !requester_allowed(s, partition, 0)) return result;
    const Partition& p = s.partition[partition];
    for (unsigned bar : kWindowBars) {
        const NtbSetup& setup = p.control.active;
        const std::uint64_t lut = lut_bytes(p.config(), setup, bar);
        const std::uint64_t direct = (setup.bar_ctl[bar] & kBarDirect) ? direct_size(setup, bar) : 0;
        const std::uint64_t end = std::min(lut + direct, bar_size(p.config(), bar));
        for (std::uint64_t at = 0; at < end;) {
            const auto found = piece(p, bar, at);
            const std::uint64_t size = found ? found->size : kLutBytes;
            if (found && reachable(s, found->target)) {
                append(result, {static_cast<std::uint8_t>(bar), static_cast<std::uint8_t>(found->target), at,
                                std::min(size, end - at), found->address});
            }
            at += size;
        }
    }
    return result;
}

void disable_target(State& s, unsigned target) {
    for (unsigned p = 0; p < s.partition_count; ++p) {
        ControlBlock& b = s.partition[p].control;
        disable_target(b.active, target);
        if (b.state == kLocked) {
            disable_target(b.staged, target);
        } else {
            b.staged = b.active;
        }
    }
}

void tracked(State& s, const std::function<void()>& change) {
    std::vector<std::vector<WindowSpan>> before(s.partition_count);
    for (unsigned p = 0; p < s.partition_count; ++p) before[p] = spans(s, p);
    change();
    for (unsigned p = 0; p < s.partition_count; ++p) {
        if (spans(s, p) != before[p]) advance(s, p);
    }
}

void advance(State& s, unsigned partition) {
    ++s.partition[partition].host.window_generation;
    wake(s, partition);
}

bool settled(const State& s, unsigned partition) {
    const Host& host = s.partition[partition].host;
    return !host.attached || host.applied_generation >= host.window_generation;
}

}  // namespace switchtec::windows
