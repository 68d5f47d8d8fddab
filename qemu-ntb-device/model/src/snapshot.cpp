// SPDX-License-Identifier: MIT
#include "snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "control.h"
#include "events.h"
#include "log.h"
#include "windows.h"

namespace switchtec::snapshot {
namespace {

using ntblab::fail;
using ntblab::Result;

constexpr std::uint64_t kSnapshotMagic = 0x31534E5443575453;  // "STWCTNS1"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kEnables = kEventEnableLog | kEventEnableCli | kEventEnableIrq | kEventFatal;

/// A window of the host to `other`, or of `other` to the host: it is in the control block of whoever sees it.
struct Window {
    std::uint64_t value;  ///< Translation of a direct window, entry of a LUT window.
    std::uint32_t ctl;    ///< Of its BAR.
    std::uint32_t size, size_ext;
    std::uint16_t lut;  ///< Which entry; of a direct window kDirect.
    std::uint8_t block, other, bar;
    std::uint8_t reserved[7];
};
constexpr std::uint16_t kDirect = 0xFFFF;

struct Header {
    std::uint64_t magic;
    std::uint32_t version, size;
    std::uint16_t vendor_id, device_id, partition, partition_count;
    PartitionConfig config;
    std::uint64_t life[kMaxPartitions];
    std::uint32_t control, bar_error, lut_error, requester_error;
    std::uint32_t requester[kMaxRequesters];
    Doorbells doorbells;
    Mrpc mrpc;
    std::uint32_t events[kPartEvents];
    std::uint32_t global_enables[kGlobalEvents];
    std::uint32_t pff_enables[kMaxPartitions][2][kPffEvents];
    std::uint32_t windows;  ///< That many follow.
};
static_assert(kPlain<Window> && sizeof(Window) == 32);
static_assert(kPlain<Header>);  // A snapshot of another size is refused; if a field changes: kVersion.

void add_windows(const State& s, unsigned block, unsigned target, unsigned other, std::vector<Window>& to) {
    const Partition& p = s.partition[block];
    const NtbSetup& setup = p.control.active;
    const auto first = windows::first_bar(p.config());
    for (unsigned bar = 0; bar < kBars; ++bar) {
        if (!(setup.bar_ctl[bar] & kBarDirect) || windows::direct_target(setup, bar) != target) continue;
        to.push_back({setup.bar_translation[bar],
                      setup.bar_ctl[bar],
                      setup.bar_size[bar],
                      setup.bar_size_ext[bar],
                      kDirect,
                      static_cast<std::uint8_t>(block),
                      static_cast<std::uint8_t>(other),
                      static_cast<std::uint8_t>(bar),
                      {}});
    }
    for (unsigned entry = 0; first && entry < p.config().lut_entries; ++entry) {
        if (!(setup.lut[entry] & kLutValid) || windows::lut_target(setup.lut[entry]) != target) continue;
        to.push_back({setup.lut[entry],
                      setup.bar_ctl[*first] & ~kBarDirect,
                      0,
                      0,
                      static_cast<std::uint16_t>(entry),
                      static_cast<std::uint8_t>(block),
                      static_cast<std::uint8_t>(other),
                      static_cast<std::uint8_t>(*first),
                      {}});
    }
}

std::vector<Window> windows_of(const State& s, unsigned partition) {
    std::vector<Window> result;
    for (unsigned other = 0; other < s.partition_count; ++other) {
        if (other == partition) continue;
        add_windows(s, partition, other, other, result);
        add_windows(s, other, partition, other, result);
    }
    return result;
}

Result<void> check_idle(const State& s, unsigned partition) {
    for (unsigned block = 0; block < s.partition_count; ++block) {
        const ControlBlock& b = s.partition[block].control;
        const bool busy = b.state != kNormal && (b.owner == partition || block == partition);
        if (busy || b.ticket[partition] != 0) {
            return fail(
                fmt::format("control block {} is locked by partition {}, which sets up windows or has failed "
                            "to: save again when it is unlocked",
                            block, b.owner));
        }
    }
    return {};
}

Result<void> check(const State& s, unsigned partition, const Header& h, std::size_t size) {
    if (h.magic != kSnapshotMagic) return fail("these bytes are no snapshot of a Switchtec partition");
    if (h.version != kVersion || h.size != sizeof(Header)) {
        return fail(fmt::format("the snapshot has version {} of {} bytes, this build knows version {} of {}",
                                h.version, h.size, kVersion, sizeof(Header)));
    }
    if (size != sizeof(Header) + std::size_t{h.windows} * sizeof(Window)) {
        return fail(fmt::format("the snapshot has {} bytes and says that it has {} windows, which need {}",
                                size, h.windows, sizeof(Header) + std::size_t{h.windows} * sizeof(Window)));
    }
    if (h.vendor_id != s.vendor_id || h.device_id != s.device_id || h.partition != partition ||
        h.partition_count != s.partition_count) {
        return fail(
            fmt::format("the snapshot is of partition {} of {} of a {:04x}:{:04x}, this is partition {} of "
                        "{} of a {:04x}:{:04x}",
                        h.partition, h.partition_count, h.vendor_id, h.device_id, partition,
                        s.partition_count, s.vendor_id, s.device_id));
    }
    if (!(h.config == s.partition[partition].config())) {
        return fail(
            fmt::format("partition {} has other BARs, vectors or link than when it was saved; start it "
                        "with the same topology",
                        partition));
    }
    return {};
}

Result<std::unique_ptr<Header>> header_of(const State& s, unsigned partition,
                                          std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof(Header))
        return fail(
            fmt::format("a snapshot of {} bytes; at least {} are expected", bytes.size(), sizeof(Header)));
    auto header = std::make_unique<Header>();
    std::memcpy(header.get(), bytes.data(), sizeof(Header));
    if (auto right = check(s, partition, *header, bytes.size()); !right) return tl::unexpected(right.error());
    return header;
}

std::vector<Window> windows_in(std::span<const std::byte> bytes) {
    std::vector<Window> result((bytes.size() - sizeof(Header)) / sizeof(Window));
    std::ranges::copy(bytes.subspan(sizeof(Header)), std::as_writable_bytes(std::span(result)).begin());
    return result;
}

/// Leaves what is there: whoever made it knows of it, and has lived since.
void stage(NtbSetup& setup, const Window& w) {
    if (w.lut == kDirect) {
        if (setup.bar_ctl[w.bar] & kBarDirect) return;
        setup.bar_ctl[w.bar] |= kBarDirect;
        setup.bar_size[w.bar] = w.size;
        setup.bar_size_ext[w.bar] = w.size_ext;
        setup.bar_translation[w.bar] = w.value;
        return;
    }
    if (!(setup.bar_ctl[w.bar] & kBarLut)) setup.bar_ctl[w.bar] |= w.ctl & ~(kBarDirect | kBarValid);
    if (!(setup.lut[w.lut] & kLutValid)) setup.lut[w.lut] = w.value;
}

/// Its target has set it anew, or taken it back, since its host was saved.
bool touched(const ControlBlock& block, const Window& w) {
    if (w.lut == kDirect) return (block.touched_bars & bit(w.bar)) != 0;
    return (block.touched_lut[w.lut / 64] & bit(w.lut % 64)) != 0;
}

/// It lies between this host and another, both of which have lived on, and nobody has touched it.
bool wanted(const State& s, unsigned partition, const Header& h, const Window& w) {
    if (w.other >= s.partition_count || w.other == partition || w.bar >= kBars) return false;
    if (w.block != partition && w.block != w.other) return false;
    if (w.lut != kDirect && w.lut >= kMaxLut) return false;
    const unsigned target = w.block == partition ? w.other : partition;
    const std::uint64_t leads_to = w.lut == kDirect ? w.value & 0xFFF : windows::lut_target(w.value);
    if (leads_to != target || (w.block == partition && touched(s.partition[partition].control, w)))
        return false;
    return attached(s, w.other) && s.partition[w.other].host.life == h.life[w.other];
}

/// Puts the host's requesters and these windows into their blocks, all of which are in `blocks` (one bit
/// each).
Result<void> open_windows(State& s, unsigned partition, const Header& h, const std::vector<Window>& windows,
                          std::uint64_t blocks) {
    ControlBlock& own = s.partition[partition].control;
    if (std::ranges::equal(own.staged.requester, control::power_on_setup(s.partition[partition]).requester)) {
        own.staged.control = h.control;
        std::ranges::copy(h.requester, own.staged.requester);
    }
    for (const Window& w : windows) stage(s.partition[w.block].control.staged, w);
    std::string refused;
    for (unsigned block = 0; block < s.partition_count && refused.empty(); ++block) {
        if ((blocks & bit(block)) == 0) continue;
        if (const auto errors = control::validate(s, block); !errors.none()) {
            refused = fmt::format(
                "the snapshot's windows do not fit into control block {}: bar_error {:#010x}, "
                "lut_error {:#010x}, req_id_error {:#010x}",
                block, errors.bar, errors.lut, errors.requester);
        }
    }
    for (unsigned block = 0; block < s.partition_count; ++block) {
        if ((blocks & bit(block)) == 0) continue;
        if (refused.empty()) {
            control::commit(s, block);
        } else {
            control::discard(s, block);
        }
    }
    return refused.empty() ? Result<void>{} : fail(refused);
}

void enable(std::uint32_t& header, std::uint32_t saved) {
    if (!(header & kEventNotSupported)) header |= saved & kEnables;
}

void load_registers(State& s, unsigned partition, const Header& h) {
    Partition& p = s.partition[partition];
    p.control.bar_error = h.bar_error;
    p.control.lut_error = h.lut_error;
    p.control.requester_error = h.requester_error;
    p.doorbells = h.doorbells;
    for (OutMessage& out : p.doorbells.out) {  // What waited at a peer's message register waits no more.
        if (out.status & kMessageWaiting) out.status = kMessageUndelivered;
        out.target = out.inbound = 0;
    }
    for (InMessage& in : p.doorbells.inbound) {
        in.status &= 1;
        in.gap &= 1;
        if (in.source >= s.partition_count) in.source = 0;
    }
    p.mrpc = h.mrpc;
    p.mrpc.dma_number = 0;
    p.mrpc.dma_taken = 0;
    std::ranges::copy(h.events, p.events);
    for (unsigned e = 0; e < kGlobalEvents; ++e) enable(s.events[e], h.global_enables[e]);
    for (unsigned q = 0; q < s.partition_count; ++q) {
        for (unsigned port = 0; port < 2; ++port) {
            for (unsigned e = 0; e < kPffEvents; ++e)
                enable(s.partition[q].pff_events[port][e], h.pff_enables[q][port][e]);
        }
    }
}

}  // namespace

Result<std::vector<std::byte>> save(State& s, unsigned partition) {
    if (auto idle = check_idle(s, partition); !idle) return tl::unexpected(idle.error());
    Partition& p = s.partition[partition];
    std::ranges::fill(p.control.touched_lut, 0);
    p.control.touched_bars = 0;
    const std::vector<Window> all = windows_of(s, partition);
    const auto header = std::make_unique<Header>();
    Header& h = *header;
    h.magic = kSnapshotMagic;
    h.version = kVersion;
    h.size = sizeof(Header);
    h.vendor_id = s.vendor_id;
    h.device_id = s.device_id;
    h.partition = static_cast<std::uint16_t>(partition);
    h.partition_count = static_cast<std::uint16_t>(s.partition_count);
    h.config = p.config();
    h.control = p.control.active.control;
    h.bar_error = p.control.bar_error;
    h.lut_error = p.control.lut_error;
    h.requester_error = p.control.requester_error;
    std::ranges::copy(p.control.active.requester, h.requester);
    h.doorbells = p.doorbells;
    h.mrpc = p.mrpc;
    std::ranges::copy(p.events, h.events);
    std::ranges::copy(s.events, h.global_enables);
    for (unsigned q = 0; q < s.partition_count; ++q) {
        h.life[q] = s.partition[q].host.life;
        for (unsigned port = 0; port < 2; ++port)
            std::ranges::copy(s.partition[q].pff_events[port], h.pff_enables[q][port]);
    }
    h.windows = static_cast<std::uint32_t>(all.size());
    std::vector<std::byte> bytes(sizeof(Header) + all.size() * sizeof(Window));
    const auto after = std::ranges::copy(std::as_bytes(std::span(&h, 1)), bytes.begin()).out;
    std::ranges::copy(std::as_bytes(std::span(all)), after);
    return bytes;
}

Result<void> load(State& s, unsigned partition, std::span<const std::byte> bytes) {
    const auto header = header_of(s, partition, bytes);
    if (!header) return tl::unexpected(header.error());
    Partition& p = s.partition[partition];
    p.host.redo = HostRedo::Reset;  // What a process that dies here leaves.
    ordered();
    load_registers(s, partition, **header);
    p.host.life = (*header)->life[partition];
    ordered();
    p.host.redo = HostRedo::None;
    log::add(s, log::Event::Restored, {partition});
    return {};
}

Result<bool> load_windows(State& s, unsigned partition, std::span<const std::byte> bytes) {
    const auto header = header_of(s, partition, bytes);
    if (!header) return tl::unexpected(header.error());
    std::vector<Window> windows = windows_in(bytes);
    std::erase_if(windows, [&](const Window& w) { return !wanted(s, partition, **header, w); });
    std::uint64_t blocks = bit(partition);
    for (const Window& w : windows) blocks |= bit(w.block);
    for (unsigned block = 0; block < s.partition_count; ++block) {
        if ((blocks & bit(block)) != 0 && s.partition[block].control.state != kNormal) return false;
    }
    Result<void> opened;
    windows::tracked(s, [&] { opened = open_windows(s, partition, **header, windows, blocks); });
    if (!opened) return tl::unexpected(opened.error());
    events::raise_port(s, partition, kPffEventLinkState);
    return true;
}

}  // namespace switchtec::snapshot
