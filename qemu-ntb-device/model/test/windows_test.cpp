// SPDX-License-Identifier: MIT
// Which accesses get through, and where to.
#include "bench.h"

namespace switchtec::test {
namespace {

constexpr std::uint64_t kShared = 0x1'2345'0000;

class Windows : public ::testing::Test {
  protected:
    Windows() {
        bench.boot(0);
        bench.boot(1);
    }
    Bench bench{2};
    Chip& chip = bench.chip;
};

TEST_F(Windows, NothingIsMappedAtPowerOn) {
    EXPECT_TRUE(chip.windows(0).empty());
    EXPECT_FALSE(chip.translate(0, 2, 0));
    EXPECT_FALSE(chip.translate(0, 4, 0));
}

TEST_F(Windows, LutEntryLeadsToItsTarget) {
    ASSERT_EQ(bench.map_lut(1, 0, 3, kShared), kNormal);
    EXPECT_EQ(chip.windows(0), (std::vector<WindowSpan>{{2, 1, 3 * kLutBytes, kLutBytes, kShared}}));
    EXPECT_EQ(chip.translate(0, 2, 3 * kLutBytes + 0x1234), (Translation{1, kShared + 0x1234}));
    EXPECT_FALSE(chip.translate(0, 2, 3 * kLutBytes - 1));
    EXPECT_FALSE(chip.translate(0, 2, 4 * kLutBytes));
    EXPECT_TRUE(chip.windows(1).empty());
}

TEST_F(Windows, NeighbouringLutEntriesMergeWhereBothSidesAreContiguous) {
    ASSERT_EQ(bench.map_lut(1, 0, 0, kShared), kNormal);
    ASSERT_EQ(bench.map_lut(1, 0, 1, kShared + kLutBytes), kNormal);
    ASSERT_EQ(bench.map_lut(1, 0, 2, kShared), kNormal);
    EXPECT_EQ(chip.windows(0), (std::vector<WindowSpan>{{2, 1, 0, 2 * kLutBytes, kShared},
                                                        {2, 1, 2 * kLutBytes, kLutBytes, kShared}}));
}

TEST_F(Windows, DirectWindowOfTheSharedBarBeginsBehindTheLut) {
    ASSERT_EQ(bench.map_lut(1, 0, 0, kShared), kNormal);
    ASSERT_EQ(bench.map_direct(1, 0, 2, 0x4000'0000, 2 * kMiB), kNormal);
    EXPECT_EQ(chip.windows(0), (std::vector<WindowSpan>{{2, 1, 0, kLutBytes, kShared},
                                                        {2, 1, 4 * kMiB, 2 * kMiB, 0x4000'0000}}));
    EXPECT_FALSE(chip.translate(0, 2, 4 * kMiB - 1));
    EXPECT_EQ(chip.translate(0, 2, 6 * kMiB - 1)->address, 0x4000'0000 + 2 * kMiB - 1);
    EXPECT_FALSE(chip.translate(0, 2, 6 * kMiB));
}

TEST_F(Windows, LowBitsOfTheOffsetPassThroughAndSizeIsTheLimit) {
    // 3 MiB: position 21, so the third MiB shows the first one again.
    ASSERT_EQ(bench.map_direct(1, 0, 4, 0x8000'0000, 3 * kMiB), kNormal);
    EXPECT_EQ(chip.windows(0), (std::vector<WindowSpan>{{4, 1, 0, 2 * kMiB, 0x8000'0000},
                                                        {4, 1, 2 * kMiB, kMiB, 0x8000'0000}}));
    EXPECT_EQ(chip.translate(0, 4, 2 * kMiB + 5)->address, 0x8000'0005);
    EXPECT_FALSE(chip.translate(0, 4, 3 * kMiB));
}

TEST_F(Windows, SizeExtensionReachesBeyond4GiB) {
    PartitionConfig big;
    big.bar4_size = 16ULL << 30;
    Bench large(config_of(2, big));
    large.boot(0);
    large.boot(1);
    ASSERT_EQ(large.map_direct(1, 0, 4, 0, 16ULL << 30), kNormal);
    EXPECT_EQ(large.chip.windows(0), (std::vector<WindowSpan>{{4, 1, 0, 16ULL << 30, 0}}));
    EXPECT_EQ(large.chip.translate(0, 4, (16ULL << 30) - 1)->address, (16ULL << 30) - 1);
}

TEST_F(Windows, ClearedAsTheDriverClearsThem) {
    ASSERT_EQ(bench.map_direct(1, 0, 4, 0x8000'0000, kMiB), kNormal);
    const auto generation = chip.window_generation(0);
    ASSERT_EQ(bench.configure(1, 0,
                              [&] {
                                  bench.set(1, Reg::NtbBarCtl, 0, 4,
                                            bench.get(1, Reg::NtbBarCtl, 0, 4) & ~kBarDirect);
                                  bench.set(1, Reg::NtbBarWindowSize, 0, 4, 0);
                                  bench.set(1, Reg::NtbBarTranslation, 0, 4, 1);
                              }),
              kNormal);
    EXPECT_TRUE(chip.windows(0).empty());
    EXPECT_NE(chip.window_generation(0), generation);
}

TEST_F(Windows, WithoutTheTargetsBusMasterNothingGetsThrough) {
    ASSERT_EQ(bench.map_lut(1, 0, 0, kShared), kNormal);
    chip.take_wakeups();
    chip.set_bus_master(1, false);
    EXPECT_TRUE(chip.windows(0).empty());
    EXPECT_FALSE(chip.translate(0, 2, 0));
    EXPECT_EQ(chip.take_wakeups(), 1U);
    EXPECT_FALSE(chip.windows_settled(0));
    chip.set_bus_master(1, true);
    EXPECT_EQ(chip.windows(0).size(), 1U);
}

TEST_F(Windows, RequesterIdsThatAreNotListedAreRefused) {
    ASSERT_EQ(bench.map_lut(1, 0, 0, kShared), kNormal);
    EXPECT_FALSE(chip.translate(0, 2, 0, 0x0100));
    bench.configure(0, 0,
                    [&] { bench.set(0, Reg::NtbRequesterEntry, 0, 1, 0x0100U << 16 | kRequesterValid); });
    EXPECT_TRUE(chip.translate(0, 2, 0, 0x0100));
    EXPECT_EQ(chip.proxy(0, 0x0000), 8U);
    EXPECT_EQ(chip.proxy(0, 0x0100), 9U) << "of the entry that lists it";
    bench.configure(0, 0, [&] { bench.set(0, Reg::NtbRequesterEntry, 0, 0, 0); });
    EXPECT_FALSE(chip.translate(0, 2, 0));
    EXPECT_TRUE(chip.windows(0).empty()) << "CPUs' requests come from 00:00.0";
    EXPECT_TRUE(chip.translate(0, 2, 0, 0x0100));
    bench.configure(0, 0, [&] { bench.set(0, Reg::NtbPartitionCtrl, 0, 0, kCtrlProtectionOff); });
    EXPECT_TRUE(chip.translate(0, 2, 0));
    EXPECT_EQ(chip.windows(0).size(), 1U);
}

TEST_F(Windows, StagedRegistersTakeEffectWithConfigureOnly) {
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, kBarLut | kLutLog2 << kBarLutSizeShift);
    bench.set(1, Reg::NtbLutEntry, 0, 0, kShared | 1 << 1 | kLutValid);
    EXPECT_TRUE(chip.windows(0).empty());
    bench.op(1, 0, kOpConfigure);
    EXPECT_EQ(chip.windows(0).size(), 1U);
}

}  // namespace
}  // namespace switchtec::test
