// SPDX-License-Identifier: MIT
#include "control.h"
#include "windows.h"

namespace switchtec::control {
namespace {

std::uint32_t error(BarError code, unsigned bar) {
    return static_cast<std::uint32_t>(code) << 16 | bar;
}
std::uint32_t error(LutError code, unsigned entry) {
    return static_cast<std::uint32_t>(code) << 16 | entry;
}
std::uint32_t error(RequesterError code, unsigned entry) {
    return static_cast<std::uint32_t>(code) << 16 | entry;
}

bool reaches(const State& s, unsigned block, unsigned target) {
    return target < s.partition_count && (reach(s, block) & bit(target)) != 0;
}

std::uint32_t lut_region_error(const Partition& p, unsigned bar) {
    const NtbSetup& setup = p.control.staged;
    if (windows::first_bar(p.config()) != bar) return error(BarError::LutNotHere, bar);
    if (((setup.bar_ctl[bar] >> kBarLutSizeShift) & kBarLutSizeMask) != kLutLog2)
        return error(BarError::LutEntrySize, bar);
    if (windows::lut_bytes(p.config(), setup, bar) > bar_size(p.config(), bar))
        return error(BarError::LutExceedsBar, bar);
    return 0;
}

std::uint32_t direct_error(const State& s, unsigned block, unsigned bar) {
    const Partition& p = s.partition[block];
    const NtbSetup& setup = p.control.staged;
    const std::uint64_t room = bar_size(p.config(), bar) - windows::lut_bytes(p.config(), setup, bar);
    const std::uint64_t size = windows::direct_size(setup, bar);
    const unsigned position = setup.bar_size[bar] & 0x3F;
    // A size of 2^(pos+1) or more would show the same memory more than twice. No driver does it, and each
    // repetition costs whoever maps the window a piece.
    if (position < 12 || size == 0 || size > room || (size >> position) >= 2)
        return error(BarError::DirectSize, bar);
    if (!reaches(s, block, windows::direct_target(setup, bar))) return error(BarError::DirectTarget, bar);
    return 0;
}

std::uint32_t bar_error(const State& s, unsigned block, unsigned bar) {
    const Partition& p = s.partition[block];
    const std::uint32_t ctl = p.control.staged.bar_ctl[bar];
    if (!(ctl & (kBarLut | kBarDirect))) return 0;
    if (bar_size(p.config(), bar) == 0) return error(BarError::NotAWindow, bar);
    if (ctl & kBarLut) {
        if (const auto e = lut_region_error(p, bar)) return e;
    }
    return (ctl & kBarDirect) ? direct_error(s, block, bar) : 0;
}

std::uint32_t lut_error(const State& s, unsigned block) {
    const Partition& p = s.partition[block];
    const NtbSetup& setup = p.control.staged;
    const auto bar = windows::first_bar(p.config());
    if (bar && windows::lut_bytes(p.config(), setup, *bar) > p.config().lut_entries * kLutBytes) {
        return error(LutError::TooManyEntries, p.config().lut_entries);
    }
    for (unsigned i = 0; i < p.config().lut_entries; ++i) {
        if ((setup.lut[i] & kLutValid) && !reaches(s, block, windows::lut_target(setup.lut[i]))) {
            return error(LutError::Target, i);
        }
    }
    return 0;
}

std::uint32_t requester_error(const Partition& p) {
    for (unsigned i = 0; i < p.config().requester_ids; ++i) {
        if ((p.control.staged.requester[i] & kRequesterValid) && proxy(i) == 0)
            return error(RequesterError::NoProxy, i);
    }
    return 0;
}

}  // namespace

SetupErrors validate(const State& s, unsigned block) {
    SetupErrors errors;
    for (unsigned bar = 0; bar < kBars && errors.bar == 0; ++bar) errors.bar = bar_error(s, block, bar);
    errors.lut = lut_error(s, block);
    errors.requester = requester_error(s.partition[block]);
    return errors;
}

}  // namespace switchtec::control
