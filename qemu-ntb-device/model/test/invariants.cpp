// SPDX-License-Identifier: MIT
#include "invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "windows_reference.h"

namespace switchtec::test {
namespace {

bool protection_lets_cpus_pass(const NtbSetup& setup) {
    return (setup.control & 1) != 0 ||
           std::ranges::find(setup.requester, kRequesterValid) != std::end(setup.requester);
}

// At the edges of all that there is in the BARs.
std::string check_translation(const Chip& chip, const State& s, unsigned p) {
    const Partition& partition = s.partition[p];
    const NtbSetup& setup = partition.control.active;
    const bool open = attached(s, p) && protection_lets_cpus_pass(setup);
    for (unsigned bar : {2U, 4U}) {
        const std::uint64_t size = bar_size(partition.config(), bar);
        std::vector<std::uint64_t> offsets = {0, size - 1, size};
        for (std::uint64_t edge = 0x10000; edge <= 0x400000 && edge < size; edge *= 2)
            offsets.insert(offsets.end(), {edge - 1, edge});
        for (const auto& w : chip.windows(p)) {
            if (w.bar == bar) offsets.insert(offsets.end(), {w.offset - 1, w.offset + w.size});
        }
        for (const std::uint64_t offset : offsets) {
            auto expected = open ? reference(partition.config(), setup, bar, offset) : std::nullopt;
            if (expected && (!chip.attached(expected->target) || !chip.bus_master(expected->target)))
                expected.reset();
            if (chip.translate(p, bar, offset) != expected)
                return fmt::format("BAR{} offset {:#x} goes elsewhere than the formulas say", bar, offset);
        }
    }
    return "";
}

std::string check_windows(const Chip& chip, const State& s, unsigned p) {
    const auto spans = chip.windows(p);
    if (!attached(s, p) && !spans.empty()) return "windows of a host that is away";
    std::uint64_t end = 0;
    unsigned bar = 0;
    for (const auto& w : spans) {
        if (w.bar != bar) end = 0;
        bar = w.bar;
        if (w.size == 0 || w.offset < end) return "windows overlap or are not sorted";
        end = w.offset + w.size;
        if (end > bar_size(s.partition[p].config(), bar)) return "window beyond its BAR";
        if (w.target == p || !chip.attached(w.target) || !chip.bus_master(w.target))
            return "window to a host that cannot be reached";
        if (chip.translate(p, bar, w.offset) != Translation{w.target, w.address} ||
            chip.translate(p, bar, end - 1) != Translation{w.target, w.address + w.size - 1}) {
            return "window and translation differ";
        }
    }
    return "";
}

std::string check_control(const State& s, unsigned block) {
    const ControlBlock& b = s.partition[block].control;
    if (b.redo != BlockRedo::None) return "something was begun and not ended";
    std::uint64_t waiting = 0;
    for (unsigned p = 0; p < kMaxPartitions; ++p) waiting |= b.ticket[p] != 0 ? bit(p) : 0;
    switch (b.state) {
        case kNormal:
            if (b.owner != kNobody) return "owner of a free lock";
            if (waiting != 0) return "somebody waits for a free lock";
            if (std::memcmp(&b.staged, &b.active, sizeof(NtbSetup)) != 0)
                return "staged registers without a lock";
            return "";
        case kLocked:
            if (b.owner >= s.partition_count || !attached(s, b.owner)) return "lock held by nobody";
            if (waiting & bit(b.owner)) return "owner waits for its own lock";
            return "";
        case kConfiguring:
        case kResetting:
            return attached(s, block) ? "" : "waits for a host that is away";
        default:
            return "unknown state";
    }
}

std::string check_messages(const State& s, unsigned p) {
    for (const OutMessage& out : s.partition[p].doorbells.out) {
        if (!(out.status & kMessageWaiting)) continue;
        if (out.target >= s.partition_count || !attached(s, out.target))
            return "a message waits for a host that is away";
        const InMessage& in = s.partition[out.target].doorbells.inbound[out.inbound];
        if (in.status == 0 && !in.gap) return "a message waits for a free register";
    }
    return "";
}

std::string check_host(const State& s, unsigned p) {
    const Host& h = s.partition[p].host;
    if (h.redo != HostRedo::None) return "a host's change was begun and not ended";
    if (h.applied_generation > h.window_generation) return "windows applied that are not there yet";
    if (h.bus_master && !h.attached) return "bus master, but away";
    if (!h.bus_master && std::ranges::any_of(h.interrupt_order, [](auto order) { return order != 0; })) {
        return "interrupt without bus mastering";
    }
    return "";
}

}  // namespace

std::string broken_invariant(const Chip& chip, const State& s) {
    std::uint32_t armed = 0;
    for (const auto& stack : s.event_counter) {
        for (const EventCounter& counter : stack) armed += counter.armed;
    }
    if (armed != s.armed_counters) return "event counters are armed that are not counted as such";
    for (unsigned p = 0; p < s.partition_count; ++p) {
        for (const std::string& wrong : {check_windows(chip, s, p), check_translation(chip, s, p),
                                         check_control(s, p), check_messages(s, p), check_host(s, p)}) {
            if (!wrong.empty()) return fmt::format("partition {}: {}", p, wrong);
        }
    }
    return "";
}

}  // namespace switchtec::test
