// SPDX-License-Identifier: MIT
#include "vcd.h"

#include <fmt/format.h>

#include <algorithm>

namespace ntblab::sim {

using pcie::CreditPair;
using pcie::Dllp;
using pcie::Link;
using pcie::Picoseconds;
using pcie::Tlp;

namespace {

struct Description {
    const char* name;
    unsigned bits;
};

enum Of : std::size_t {
    kTlp,
    kLength,
    kAddress,
    kRequester,
    kTag,
    kSequence,
    kReplay,
    kTlpCorrupt,
    kDllp,
    kDllpSequence,
    kDllpCorrupt,
    kSkip,
    kStall,
    kQueue,
    kCredits,  // and the five after it
};

constexpr std::array<Description, VcdWriter::kSignals> kDescriptions = {{
    {"tlp", 3},          {"length", 13},        {"address", 64},      {"requester", 16},
    {"tag", 16},         {"sequence", 12},      {"replay", 1},        {"tlp_corrupt", 1},
    {"dllp", 2},         {"dllp_sequence", 12}, {"dllp_corrupt", 1},  {"skip", 1},
    {"stall", 3},        {"queue", 32},         {"credits_PH", 32},   {"credits_PD", 32},
    {"credits_NPH", 32}, {"credits_NPD", 32},   {"credits_CPLH", 32}, {"credits_CPLD", 32},
}};

constexpr const char* kMeaning =
    "$comment\n"
    "  tlp: 0 none, 1 MWr, 2 MRd, 3 CplD, 4 Cpl, 5 Msg; length in bytes, address, requester, tag, sequence "
    "are its\n"
    "  dllp: 0 none, 1 Ack, 2 Nak, 3 UpdateFC; dllp_sequence of the first two\n"
    "  stall: 0 none, 1 PH, 2 PD, 3 NPH, 4 NPD, 5 CPLH, 6 CPLD, 7 replay buffer\n"
    "  queue: TLPs that could be sent; credits: that this side has, z for infinite ones\n"
    "$end\n";

std::uint64_t code_of(const Tlp& tlp) {
    switch (tlp.type) {
        case pcie::TlpType::memory_write:
            return 1;
        case pcie::TlpType::memory_read:
            return 2;
        case pcie::TlpType::completion:
            return tlp.length > 0 ? 3 : 4;
        case pcie::TlpType::message:
            return 5;
    }
    return 0;
}

char identifier(std::size_t signal) {
    return static_cast<char>('!' + signal);
}

std::uint32_t limit(const Link& link, unsigned side, std::size_t credit) {
    const CreditPair& pair = link.config().sides[1 - side].credits[credit / 2];
    return credit % 2 == 0 ? pair.header : pair.data;
}

}  // namespace

VcdWriter::VcdWriter(const Link& link, OutputFile file) : link_(link), file_(std::move(file)) {
    for (std::size_t side : {0U, 1U})
        for (std::size_t credit = 0; credit < 2 * pcie::kFlowClasses; ++credit) {
            Signal& signal = signals_[side * kSignals + kCredits + credit];
            signal.value = signal.written = limit(link, static_cast<unsigned>(side), credit);
        }
    header();
}

void VcdWriter::header() {
    std::string text = fmt::format("$version ntb-sim $end\n{}$timescale 1 ps $end\n$scope module {} $end\n",
                                   kMeaning, link_.basename());
    std::string initial = "#0\n$dumpvars\n";
    for (std::size_t side : {0U, 1U}) {
        text += fmt::format("$scope module from{} $end\n", side);
        for (std::size_t i = 0; i < kSignals; ++i) {
            const std::size_t signal = side * kSignals + i;
            const auto& [name, bits] = kDescriptions[i];
            text += fmt::format("$var wire {} {} {}{} $end\n", bits, identifier(signal), name,
                                bits > 1 ? fmt::format(" [{}:0]", bits - 1) : "");
            const bool infinite = i >= kCredits && limit(link_, static_cast<unsigned>(side), i - kCredits) ==
                                                       pcie::kInfiniteCredits;
            initial += infinite    ? fmt::format("bz {}\n", identifier(signal))
                       : bits == 1 ? fmt::format("0{}\n", identifier(signal))
                                   : fmt::format("b{:b} {}\n", signals_[signal].value, identifier(signal));
        }
        text += "$upscope $end\n";
    }
    file_.write(text + "$upscope $end\n$enddefinitions $end\n" + initial + "$end\n");
}

void VcdWriter::set(Picoseconds at, unsigned side, std::size_t signal, std::uint64_t value) {
    changes_.add(at, {side * kSignals + signal, false, value});
}

void VcdWriter::add(Picoseconds at, unsigned side, std::size_t signal, std::int64_t value) {
    changes_.add(at, {side * kSignals + signal, true, static_cast<std::uint64_t>(value)});
}

void VcdWriter::queued(const Link& link, unsigned side, const Tlp& tlp, Picoseconds) {
    if (&link != &link_) return;
    add(tlp.ready, side, kQueue, 1);
    flush(pcie::now());
}

void VcdWriter::sent(const Link& link, unsigned side, const Tlp& tlp, const pcie::TlpOnWire& wire) {
    if (&link != &link_) return;
    const Picoseconds at = wire.begin;
    set(at, side, kTlp, code_of(tlp));
    set(at, side, kLength, tlp.length);
    set(at, side, kAddress, tlp.address);
    set(at, side, kRequester, tlp.requester);
    set(at, side, kTag, tlp.tag);
    set(at, side, kSequence, wire.sequence % 4096);
    set(at, side, kReplay, wire.again ? 1 : 0);
    set(at, side, kTlpCorrupt, wire.whole ? 0 : 1);
    for (const Of signal : {kTlp, kReplay, kTlpCorrupt}) set(wire.end, side, signal, 0);
    if (!wire.again) {
        add(at, side, kQueue, -1);
        take_credits(side, tlp, at);
    }
    flush(pcie::now());
}

void VcdWriter::take_credits(unsigned side, const Tlp& tlp, Picoseconds at) {
    const std::size_t header = 2 * pcie::class_index(tlp);
    if (limit(link_, side, header) != pcie::kInfiniteCredits) add(at, side, kCredits + header, -1);
    if (limit(link_, side, header + 1) != pcie::kInfiniteCredits)
        add(at, side, kCredits + header + 1, -static_cast<std::int64_t>(pcie::data_credits(tlp)));
}

void VcdWriter::sent(const Link& link, unsigned side, const Dllp& dllp, const pcie::DllpOnWire& wire) {
    if (&link != &link_) return;
    set(wire.begin, side, kDllp, static_cast<std::uint64_t>(dllp.kind) + 1);
    if (dllp.kind != Dllp::Kind::update_credits)
        set(wire.begin, side, kDllpSequence, (dllp.sequence + 4095) % 4096);
    set(wire.begin, side, kDllpCorrupt, wire.whole ? 0 : 1);
    for (const Of signal : {kDllp, kDllpCorrupt}) set(wire.end, side, signal, 0);
    if (dllp.kind == Dllp::Kind::update_credits && wire.whole) {
        const std::size_t header = kCredits + 2 * dllp.of_class;
        add(wire.arrives, 1 - side, header, dllp.freed.header);
        add(wire.arrives, 1 - side, header + 1, dllp.freed.data);
    }
    flush(pcie::now());
}

void VcdWriter::skipped(const Link& link, unsigned side, Picoseconds begin, Picoseconds end) {
    if (&link != &link_) return;
    // One that was due while the wire was idle may have begun before now.
    set(std::max(begin, pcie::now()), side, kSkip, 1);
    set(end, side, kSkip, 0);
}

void VcdWriter::stalled(const Link& link, unsigned side, pcie::StallCause cause, Picoseconds at) {
    if (&link == &link_) set(at, side, kStall, static_cast<std::uint64_t>(cause) + 1);
}

void VcdWriter::resumed(const Link& link, unsigned side, Picoseconds at) {
    if (&link == &link_) set(at, side, kStall, 0);
}

void VcdWriter::flush(Picoseconds until) {
    changes_.take(until, [this](Picoseconds at, const Change& change) {
        if (at != time_) write_changes();
        time_ = at;
        Signal& signal = signals_[change.signal];
        signal.value = change.relative ? signal.value + change.value : change.value;
        touched_.push_back(change.signal);
    });
}

// Of one time, what is not as it was.
void VcdWriter::write_changes() {
    std::ranges::sort(touched_);
    std::string text;
    for (const std::size_t touched : touched_) {
        Signal& signal = signals_[touched];
        if (signal.value == signal.written) continue;
        signal.written = signal.value;
        text += kDescriptions[touched % kSignals].bits == 1
                    ? fmt::format("{}{}\n", signal.value, identifier(touched))
                    : fmt::format("b{:b} {}\n", signal.value, identifier(touched));
    }
    touched_.clear();
    if (text.empty()) return;
    file_.write((time_ == 0 ? "" : fmt::format("#{}\n", time_)) + text);
}

Result<void> VcdWriter::finish() {
    flush(pcie::kNever);
    write_changes();
    return file_.finish();
}

}  // namespace ntblab::sim
