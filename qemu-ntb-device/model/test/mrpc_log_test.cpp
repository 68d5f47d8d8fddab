// SPDX-License-Identifier: MIT
// The firmware's log, read as log-dump of switchtec-user does.
#include <fmt/format.h>

#include <sstream>

#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

using Entry = std::vector<std::uint32_t>;  // Event, arguments.

class MrpcLog : public ::testing::Test {
  protected:
    struct Page {
        std::uint64_t overflow, total, count, remain, next;
    };
    Page page(std::uint8_t subcommand, std::uint32_t start, std::uint32_t count = 0, bool from_end = false) {
        Bytes input = {subcommand, from_end, 0, 0, 0, 0, 0, 0};
        for (std::uint8_t b : words({count, 0, start})) input.push_back(b);
        EXPECT_EQ(bench.call(0x06, input), kSuccess);
        EXPECT_EQ(bench.output(0, 1), subcommand);
        return {bench.output(2, 1), bench.output(4, 4), bench.output(8, 4), bench.output(12, 4),
                bench.output(16, 4)};
    }
    Entry entry(unsigned index) const {
        Entry words;
        for (unsigned i = 2; i < 8; ++i)
            words.push_back(static_cast<std::uint32_t>(bench.output(32 + 32 * index + 4 * i, 4)));
        return words;
    }
    /// Until nothing remains. How many pages that took.
    unsigned read_all(std::uint8_t subcommand) {
        entries.clear();
        std::uint64_t remain = 1;
        std::uint64_t start = 0xFFFFFFFF;
        unsigned pages = 0;
        while (remain != 0 && ++pages < 1000) {
            const Page p = page(subcommand, static_cast<std::uint32_t>(start));
            for (unsigned i = 0; i < p.count; ++i) entries.push_back(entry(i));
            remain = p.remain;
            start = p.next;
        }
        return pages;
    }
    static std::string definitions(MrpcBench& of) {
        std::string text;
        for (unsigned index = 0, end = 0; end == 0;) {
            EXPECT_EQ(of.call(0x3B, words({0, index})), kSuccess);
            text += of.text(8, static_cast<unsigned>(of.output(2, 2)));
            end = static_cast<unsigned>(of.output(0, 2));
            index = static_cast<unsigned>(of.output(4, 2));
        }
        return text;
    }
    MrpcBench bench{device(kGen4)};
    std::vector<Entry> entries;
};

TEST_F(MrpcLog, WhatHappened) {
    read_all(13);
    const std::vector<Entry> expected = {
        {0x20010000, 2, 0, 0, 0, 0},                                // power-on
        {0x20010001, 0, 0, 0, 0, 0}, {0x30020000, 0, 4, 16, 0, 0},  // attached, link up
        {0x40030000, 0, 0, 0, 0, 0}, {0x40030001, 0, 0, 0, 0, 0},   // its own table: lock, configure
        {0x20010001, 1, 0, 0, 0, 0}, {0x30020000, 1, 4, 16, 0, 0},
        {0x40030000, 1, 1, 0, 0, 0}, {0x40030001, 1, 1, 0, 0, 0}};
    EXPECT_EQ(entries, expected);
    bench.op(0, 1, kOpLock);
    bench.op(1, 1, kOpLock);
    bench.set(0, Reg::NtbBarCtl, 1, 2, kBarLut | kLutLog2 << kBarLutSizeShift | 511U << kBarLutCountShift);
    bench.set(0, Reg::NtbBarCtl, 1, 4, kBarDirect);
    bench.op(0, 1, kOpConfigure);
    bench.op(0, 1, kOpReset);
    bench.apply_windows();
    bench.chip.reset(1);
    bench.chip.detach(1);
    bench.call(0x99);
    read_all(13);
    const std::vector<Entry> added = {
        {0x40030000, 1, 0, 0, 0, 0},                    // locked by 0
        {0x40030004, 1, 1, 0, 0, 0},                    // 1 waits
        {0x10030002, 1, 0, 0x00060004, 0x00010040, 0},  // refused: BAR4's size, too many LUT entries
        {0x40030003, 1, 0, 0, 0, 0},                    // reset by 0
        {0x40030000, 1, 1, 0, 0, 0},                    // then locked by 1
        {0x20010003, 1, 0, 0, 0, 0},                    // host reset
        {0x30020001, 1, 0, 0, 0, 0},
        {0x20010002, 1, 0, 0, 0, 0},
        {0x10040000, 0, 0x99, kBadCommand, 0, 0}};
    ASSERT_EQ(entries.size(), expected.size() + added.size());
    EXPECT_EQ(
        std::vector<Entry>(entries.begin() + static_cast<std::ptrdiff_t>(expected.size()), entries.end()),
        added);
}

TEST_F(MrpcLog, TimeStampsAreOfTheClock) {
    bench.now = 8'330'000'000'000;
    bench.chip.reset(1);
    page(13, 0xFFFFFFFF, 1, /*from_end=*/true);
    EXPECT_EQ(entry(0)[0], 0x20010003U);
    const std::uint64_t ticks = bench.output(32, 4) << 32 | bench.output(36, 4);
    EXPECT_EQ(ticks, 1'000'000'000'000U) << "of 8.33 ns";
}

TEST_F(MrpcLog, RemainsNothingAfterAsManyPagesAsItTakes) {
    for (unsigned i = 0; i < 100; ++i) bench.chip.reset(1);
    EXPECT_EQ(read_all(13), 4U) << "109 entries, 31 in a page";
    EXPECT_EQ(entries.size(), 109U);
    EXPECT_EQ(page(13, 0xFFFFFFFF).overflow, 0U);
}

TEST_F(MrpcLog, TheOldestAreOverwrittenAndThatIsSaid) {
    for (unsigned i = 0; i < 3000; ++i) bench.chip.reset(1);
    read_all(0);
    EXPECT_EQ(entries.size(), 1024U);
    const Page first = page(13, 0xFFFFFFFF);
    EXPECT_EQ(first.overflow, 1U);
    EXPECT_EQ(first.total, 1024U);
    EXPECT_EQ(page(13, 5).next, first.next) << "what was overwritten while it was read";
}

TEST_F(MrpcLog, SomeFromTheEnd) {
    const Page last = page(13, 0xFFFFFFFF, 2, /*from_end=*/true);
    EXPECT_EQ(last.count, 2U);
    EXPECT_EQ(last.remain, 0U);
    EXPECT_EQ(entry(1)[0], 0x40030001U);
    EXPECT_EQ(page(13, static_cast<std::uint32_t>(last.next)).count, 0U) << "nothing behind the end";
    EXPECT_EQ(page(13, 0x12345678).count, 0U);
}

TEST_F(MrpcLog, SubcommandsByGeneration) {
    EXPECT_EQ(bench.call(0x06, {11}), kBadSubcommand);
    EXPECT_EQ(bench.call(0x06, {7}), kBadSubcommand);
    MrpcBench gen5(device(kGen5));
    EXPECT_EQ(gen5.call(0x06, {13}), kBadSubcommand);
    EXPECT_EQ(gen5.call(0x06, {11}), kSuccess);
}

// log-dump says that a log does not fit its definitions when their versions differ; it takes Gen4's log to
// have version 0.
TEST_F(MrpcLog, DefinitionsHaveTheVersionOfTheLog) {
    page(13, 0xFFFFFFFF);
    EXPECT_EQ(bench.output(20, 4), 0U);
    EXPECT_EQ(bench.output(24, 4), 0U);
    EXPECT_TRUE(definitions(bench).starts_with("# SDK Version: 0x0\n# FW Version: 0x0\n"));
    MrpcBench gen5(device(kGen5));
    EXPECT_EQ(gen5.call(0x06, {11}), kSuccess);
    const std::uint64_t version = gen5.get(0, Reg::SysFirmwareVersion);
    EXPECT_EQ(gen5.output(20, 4), version);
    EXPECT_EQ(gen5.output(24, 4), version);
    EXPECT_TRUE(
        definitions(gen5).starts_with(fmt::format("# SDK Version: {0:#x}\n# FW Version: {0:#x}\n", version)));
}

TEST_F(MrpcLog, TheOtherLogsAreEmpty) {
    for (std::uint8_t flash : {1, 14}) {
        const Page p = page(flash, 0xFFFFFFFF);
        EXPECT_EQ(p.total + p.count + p.remain + p.overflow, 0U);
    }
    for (std::uint8_t memory : {2, 3, 4, 5, 6}) {
        EXPECT_EQ(bench.call(0x06, {memory}), kSuccess);
        EXPECT_EQ(bench.outputs(1, 1023), Bytes(1023));
    }
    EXPECT_EQ(bench.call(0x06, {10}), kSuccess);
    EXPECT_EQ(bench.output(12, 4), bench.get(0, Reg::SysFirmwareVersion));
}

TEST_F(MrpcLog, DefinitionsNameEveryEvent) {
    // Module and number of every entry that WhatHappened expects.
    std::istringstream lines(definitions(bench));
    std::vector<std::pair<unsigned, unsigned>> modules;  // Number, entries.
    std::string line;
    while (std::getline(lines, line)) {
        if (line.front() == '#') continue;
        std::istringstream heading(line);
        std::string name;
        unsigned module = 0, count = 0;
        ASSERT_TRUE(heading >> name >> module >> count) << line;
        modules.emplace_back(module, count);
        for (unsigned i = 0; i < count; ++i) ASSERT_TRUE(std::getline(lines, line));
    }
    EXPECT_EQ(modules, (std::vector<std::pair<unsigned, unsigned>>{{1, 5}, {2, 2}, {3, 6}, {4, 1}}));
    EXPECT_EQ(bench.call(0x3B, words({1})), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 1U) << "the boot loaders log nothing";
    EXPECT_EQ(bench.call(0x3B, words({2})), kBadSubcommand);
}

}  // namespace
}  // namespace switchtec::test
