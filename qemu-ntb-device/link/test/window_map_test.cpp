// SPDX-License-Identifier: MIT
#include "window_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

namespace ntblink {
namespace {

constexpr std::uint64_t kPage = 4096;

std::vector<WindowPiece> map(const switchtec::WindowSpan& window, std::vector<RamMap::Piece> ram) {
    const std::vector<switchtec::WindowSpan> windows{window};
    return map_windows(windows, [&](unsigned) { return std::span<const RamMap::Piece>(ram); });
}

TEST(WindowMap, WindowInsideRam) {
    const auto pieces = map({2, 1, 0x10000, 0x10000, 0x40000}, {{0, 0x100000, 7, 0x200000}});
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].window.bar, 2U);
    EXPECT_EQ(pieces[0].window.target, 1U);
    EXPECT_EQ(pieces[0].window.offset, 0x10000U);
    EXPECT_EQ(pieces[0].window.size, 0x10000U);
    EXPECT_EQ(pieces[0].window.address, 0x40000U);
    EXPECT_EQ(pieces[0].fd, 7);
    EXPECT_EQ(pieces[0].fd_offset, 0x240000U);
}

TEST(WindowMap, WindowAcrossTheHoleBelow4GiB) {
    const auto pieces = map({4, 0, 0, 0x100000000, 0x80000000},
                            {{0, 0xC0000000, 3, 0}, {0x100000000, 0x40000000, 3, 0xC0000000}});
    ASSERT_EQ(pieces.size(), 2U);
    EXPECT_EQ(pieces[0].window.offset, 0U);
    EXPECT_EQ(pieces[0].window.size, 0x40000000U);
    EXPECT_EQ(pieces[0].fd_offset, 0x80000000U);
    EXPECT_EQ(pieces[1].window.offset, 0x80000000U);
    EXPECT_EQ(pieces[1].window.size, 0x40000000U);
    EXPECT_EQ(pieces[1].window.address, 0x100000000U);
    EXPECT_EQ(pieces[1].fd_offset, 0xC0000000U);
}

TEST(WindowMap, WindowBesideRam) {
    EXPECT_TRUE(map({2, 1, 0, kPage, 0x100000}, {{0, 0x100000, 3, 0}}).empty());
    EXPECT_TRUE(map({2, 1, 0, kPage, 0x0FF000}, {{0x100000, 0x100000, 3, 0}}).empty());
    EXPECT_TRUE(map({2, 1, 0, kPage, 0}, {}).empty());
}

TEST(WindowMap, WindowThatRunsOverTheEndOfTheAddressSpace) {
    const auto pieces = map({4, 0, 0, 0x10000, UINT64_MAX - 0x0FFF}, {{UINT64_MAX - 0x1FFF, 0x2000, 3, 0}});
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].window.size, kPage);
    EXPECT_EQ(pieces[0].fd_offset, kPage);
}

TEST(WindowMap, WindowThatIsNotPageAlignedAtTheTargetIsLeftOut) {
    EXPECT_TRUE(map({2, 1, 0, 0x10000, 0x40800}, {{0, 0x100000, 3, 0}}).empty());
}

TEST(WindowMap, PartsOfPagesAreLeftOut) {
    const auto pieces = map({2, 1, 0x800, 0x2000, 0x40800}, {{0, 0x100000, 3, 0}});
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].window.offset, 0x1000U);
    EXPECT_EQ(pieces[0].window.size, 0x1000U);
    EXPECT_EQ(pieces[0].window.address, 0x41000U);
}

// Against a map from each page of the BAR to the page of the file behind it.
TEST(WindowMap, EveryPageLeadsWhereItShould) {
    const bool held = rc::check("pages", [] {
        std::vector<RamMap::Piece> ram;
        std::uint64_t address = 0;
        const auto ranges = *rc::gen::inRange(0, 6);
        for (int i = 0; i < ranges; ++i) {
            address += kPage * *rc::gen::inRange<std::uint64_t>(0, 8);
            const std::uint64_t size = kPage * *rc::gen::inRange<std::uint64_t>(1, 8);
            ram.push_back({address, size, i, kPage * *rc::gen::inRange<std::uint64_t>(0, 100)});
            address += size;
        }
        const switchtec::WindowSpan window{2, 1, kPage * *rc::gen::inRange<std::uint64_t>(0, 4),
                                           kPage * *rc::gen::inRange<std::uint64_t>(1, 40),
                                           kPage * *rc::gen::inRange<std::uint64_t>(0, 40)};
        std::map<std::uint64_t, std::pair<int, std::uint64_t>> expected;
        for (std::uint64_t at = 0; at < window.size; at += kPage) {
            for (const auto& piece : ram) {
                const std::uint64_t bus = window.address + at;
                if (bus >= piece.address && bus < piece.address + piece.size) {
                    expected[window.offset + at] = {piece.fd, piece.fd_offset + (bus - piece.address)};
                }
            }
        }
        std::map<std::uint64_t, std::pair<int, std::uint64_t>> found;
        for (const auto& piece : map(window, ram)) {
            for (std::uint64_t at = 0; at < piece.window.size; at += kPage) {
                RC_ASSERT(found.emplace(piece.window.offset + at, std::pair(piece.fd, piece.fd_offset + at))
                              .second);
            }
        }
        RC_ASSERT(found == expected);
    });
    EXPECT_TRUE(held);
}

}  // namespace
}  // namespace ntblink
