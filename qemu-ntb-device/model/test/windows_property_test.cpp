// SPDX-License-Identifier: MIT
// Window maths against a reference that knows only the formulas of the public record, byte by byte.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>

#include "bench.h"
#include "windows_reference.h"

namespace switchtec::test {
namespace {

struct Direct {
    bool enabled = false;
    std::uint64_t xlate = 0, size = 0;  // xlate with the target in its low bits.
    unsigned position = 12;
};

struct Setup {
    std::uint64_t bar2 = 0, bar4 = 0;
    unsigned luts = 0;  // Enabled LUT entries; 0: no LUT windows.
    std::vector<std::uint64_t> lut;
    Direct direct2, direct4;
};

using Answer = std::optional<Translation>;

constexpr unsigned kPartitions = 5;

std::uint64_t any_below(std::uint64_t end) {
    return *rc::gen::inRange<std::uint64_t>(0, end);
}
unsigned any_target() {
    return *rc::gen::inRange(1U, kPartitions);
}

Direct any_direct(std::uint64_t room) {
    Direct d;
    d.enabled = room >= 4096 && *rc::gen::arbitrary<bool>();
    if (!d.enabled) return d;
    // Small and large sizes alike: a power of two, shortened or lengthened by pages.
    const auto largest = static_cast<unsigned>(63 - __builtin_clzll(room));
    d.position = *rc::gen::inRange(12U, largest + 1);
    const std::uint64_t pages = std::min<std::uint64_t>(room, (2ULL << d.position) - 4096) / 4096;
    d.size = (1 + any_below(pages)) * 4096;
    d.xlate = (any_below(1ULL << 40) << 12) | any_target();
    return d;
}

Setup any_setup() {
    Setup s;
    s.bar2 = *rc::gen::element<std::uint64_t>(0, 1 << 16, 1 << 20, 4 << 20, 64 << 20);
    s.bar4 = *rc::gen::element<std::uint64_t>(0, 1 << 16, 8 << 20, 1ULL << 33);
    const std::uint64_t first = s.bar2 != 0 ? s.bar2 : s.bar4;
    s.luts = static_cast<unsigned>(any_below(1 + std::min<std::uint64_t>(512, first >> 16)));
    for (unsigned i = 0; i < 512; ++i) {
        // Often the neighbour of the one before, so that spans merge.
        const bool follows = i > 0 && *rc::gen::inRange(0, 4) != 0;
        s.lut.push_back(follows ? s.lut.back() + 0x10000
                                : (any_below(1ULL << 30) << 16) | any_target() << 1 |
                                      (*rc::gen::inRange(0, 4) != 0));
    }
    const std::uint64_t lut = s.luts * 0x10000ULL;
    s.direct2 = any_direct(s.bar2 - (s.bar2 != 0 ? lut : 0));
    s.direct4 = any_direct(s.bar4 - (s.bar2 != 0 || s.bar4 == 0 ? 0 : lut));
    return s;
}

void add_direct(NtbSetup& registers, unsigned bar, const Direct& d) {
    if (!d.enabled) return;
    registers.bar_ctl[bar] |= kBarDirect;
    registers.bar_size[bar] = d.position | (d.size & 0xFFFFF000);
    registers.bar_size_ext[bar] = d.size >> 32;
    registers.bar_translation[bar] = d.xlate;
}

/// What the block's registers then have to be.
NtbSetup registers_of(const Setup& s) {
    NtbSetup registers{};
    if (s.luts != 0)
        registers.bar_ctl[s.bar2 != 0 ? 2 : 4] =
            kBarLut | kLutLog2 << kBarLutSizeShift | (s.luts - 1) << kBarLutCountShift;
    std::ranges::copy(s.lut, registers.lut);
    add_direct(registers, 2, s.direct2);
    add_direct(registers, 4, s.direct4);
    return registers;
}

void program_direct(Bench& bench, unsigned bar, const Direct& d, std::uint32_t lut_bits) {
    bench.set(1, Reg::NtbBarCtl, 0, bar, lut_bits | (d.enabled ? kBarDirect : 0));
    bench.set(1, Reg::NtbBarWindowSize, 0, bar, d.position | (d.size & 0xFFFFF000));
    bench.set(1, Reg::NtbBarWindowSizeExt, 0, bar, d.size >> 32);
    bench.set(1, Reg::NtbBarTranslation, 0, bar, d.xlate);
}

void program(Bench& bench, const Setup& s) {
    for (unsigned p = 0; p < kPartitions; ++p) bench.boot(p);
    const std::uint32_t lut_bits =
        s.luts == 0 ? 0 : kBarLut | kLutLog2 << kBarLutSizeShift | (s.luts - 1) << kBarLutCountShift;
    const unsigned state = bench.configure(1, 0, [&] {
        program_direct(bench, 2, s.direct2, s.bar2 != 0 ? lut_bits : 0);
        program_direct(bench, 4, s.direct4, s.bar2 != 0 ? 0 : lut_bits);
        for (unsigned i = 0; i < 512; ++i) bench.set(1, Reg::NtbLutEntry, 0, i, s.lut[i]);
    });
    RC_ASSERT(state == kNormal);
}

Answer by_spans(const std::vector<WindowSpan>& spans, unsigned bar, std::uint64_t offset) {
    Answer answer;
    for (const auto& s : spans) {
        if (s.bar != bar || offset < s.offset || offset - s.offset >= s.size) continue;
        RC_ASSERT(!answer);  // Spans do not overlap.
        answer = Translation{s.target, s.address + (offset - s.offset)};
    }
    return answer;
}

RC_GTEST_PROP(WindowMaths, TranslationAndSpansAgreeWithTheReference, ()) {
    const Setup s = any_setup();
    RC_PRE(s.bar2 != 0 || s.bar4 != 0);
    PartitionConfig config;
    config.bar2_size = s.bar2;
    config.bar4_size = s.bar4;
    config.lut_entries = 512;
    Bench bench(config_of(kPartitions, config));
    program(bench, s);
    const NtbSetup registers = registers_of(s);
    const auto spans = bench.chip.windows(0);
    RC_ASSERT(
        std::ranges::is_sorted(spans, {}, [](const WindowSpan& w) { return std::pair(w.bar, w.offset); }));
    for (unsigned bar : {2U, 4U}) {
        const std::uint64_t size = bar == 2 ? s.bar2 : s.bar4;
        std::vector<std::uint64_t> offsets = {0, size - 1, size, s.luts * 0x10000ULL};
        for (const auto& span : spans) {
            for (std::uint64_t edge : {span.offset, span.offset + span.size})
                offsets.insert(offsets.end(), {edge - 1, edge, edge + 1});
        }
        for (int i = 0; i < 200 && size != 0; ++i) offsets.push_back(any_below(size));
        for (std::uint64_t offset : offsets) {
            const Answer expected = reference(config, registers, bar, offset);
            RC_ASSERT(bench.chip.translate(0, bar, offset) == expected);
            RC_ASSERT(by_spans(spans, bar, offset) == expected);
        }
    }
}

RC_GTEST_PROP(WindowMaths, TheDriversDirectWindowIsContiguous, ()) {
    // As switchtec_ntb_mw_set_direct programs it: a power of two, at most the LUT region, aligned to its
    // size.
    Bench bench(kPartitions);
    for (unsigned p = 0; p < kPartitions; ++p) bench.boot(p);
    bench.map_lut(1, 0, 0, 0x10000);
    const std::uint64_t size = 4096ULL << *rc::gen::inRange(0, 11);
    const std::uint64_t address = any_below(1ULL << 36) * size;
    RC_ASSERT(bench.map_direct(1, 0, 2, address, size) == kNormal);
    const std::vector<WindowSpan> expected = {{2, 1, 0, kLutBytes, 0x10000}, {2, 1, 4 * kMiB, size, address}};
    RC_ASSERT(bench.chip.windows(0) == expected);
}

}  // namespace
}  // namespace switchtec::test
