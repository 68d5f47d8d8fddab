// SPDX-License-Identifier: MIT
// CONFIGURE: when it ends, and what it refuses.
#include "bench.h"

namespace switchtec::test {
namespace {

class Configure : public ::testing::Test {
  protected:
    Configure() {
        bench.boot(0);
        bench.boot(1);
        bench.apply_windows();
    }
    static std::uint32_t lut_ctl(unsigned entries, unsigned log2 = kLutLog2) {
        return kBarLut | log2 << kBarLutSizeShift | (entries - 1) << kBarLutCountShift;
    }
    template <typename Writes>
    std::uint32_t bar_error_of(Writes writes) {
        EXPECT_EQ(bench.configure(1, 0, writes), kLocked);
        return bench.get(1, Reg::NtbBarError, 0);
    }
    Bench bench{2};
    Chip& chip = bench.chip;
};

TEST_F(Configure, LastsUntilTheBlocksHostHasAppliedItsWindows) {
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, lut_ctl(64));
    bench.set(1, Reg::NtbLutEntry, 0, 0, 0x10000 | 1 << 1 | kLutValid);
    bench.op(1, 0, kOpConfigure);
    EXPECT_EQ(bench.state(1, 0), kConfiguring);
    EXPECT_EQ(chip.lock_owner(0), 1U);
    const auto generation = chip.window_generation(0);
    chip.windows_applied(0, generation - 1);
    chip.windows_applied(1, chip.window_generation(1));
    EXPECT_EQ(bench.state(1, 0), kConfiguring);
    chip.windows_applied(0, generation);
    EXPECT_EQ(bench.state(1, 0), kNormal);
}

TEST_F(Configure, GenerationsThatAreNotThereYetCountAsTheNewest) {
    chip.windows_applied(0, ~0ULL);
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, lut_ctl(64));
    bench.set(1, Reg::NtbLutEntry, 0, 0, 0x10000 | 1 << 1 | kLutValid);
    bench.op(1, 0, kOpConfigure);
    EXPECT_EQ(bench.state(1, 0), kConfiguring);
}

TEST_F(Configure, EndsAtOnceWhenNoWindowChanges) {
    bench.op(0, 0, kOpLock);
    bench.set(0, Reg::NtbRequesterEntry, 0, 1, 0x01000001);
    bench.op(0, 0, kOpConfigure);
    EXPECT_EQ(bench.state(0, 0), kNormal);
}

TEST_F(Configure, EndsAtOnceWhenTheBlocksHostIsAway) {
    bench.map_lut(1, 0, 0, 0x10000);
    chip.detach(0);
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, lut_ctl(64));
    bench.set(1, Reg::NtbLutEntry, 0, 0, 0x10000 | 1 << 1 | kLutValid);
    bench.op(1, 0, kOpConfigure);
    EXPECT_EQ(bench.state(1, 0), kNormal);
}

TEST_F(Configure, EndsWhenTheBlocksHostGoesAway) {
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, lut_ctl(64));
    bench.set(1, Reg::NtbLutEntry, 0, 0, 0x10000 | 1 << 1 | kLutValid);
    bench.op(1, 0, kOpConfigure);
    ASSERT_EQ(bench.state(1, 0), kConfiguring);
    chip.detach(0);
    EXPECT_EQ(bench.state(1, 0), kNormal);
}

TEST_F(Configure, WaitingRequesterIsGrantedWhenItEndsNotBefore) {
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, lut_ctl(64));
    bench.set(1, Reg::NtbLutEntry, 0, 0, 0x10000 | 1 << 1 | kLutValid);
    bench.op(1, 0, kOpConfigure);
    bench.op(0, 0, kOpLock);
    EXPECT_EQ(bench.state(0, 0), kLocking);
    bench.apply_windows();
    EXPECT_EQ(bench.state(0, 0), kLocked);
    EXPECT_EQ(bench.state(1, 0), kNormal);
}

TEST_F(Configure, IsCompletedWhenItsRequesterDies) {
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbBarCtl, 0, 2, lut_ctl(64));
    bench.set(1, Reg::NtbLutEntry, 0, 0, 0x10000 | 1 << 1 | kLutValid);
    bench.op(1, 0, kOpConfigure);
    bench.op(0, 0, kOpLock);
    chip.detach(1);
    EXPECT_EQ(bench.state(0, 0), kLocking) << "its old windows may still be in effect";
    bench.apply_windows();
    EXPECT_EQ(bench.state(0, 0), kLocked);
    EXPECT_TRUE(chip.windows(0).empty());
}

TEST_F(Configure, LutWindowsLargerThanTheBarAreRefused) {  // switchtec-kernel issue 109
    PartitionConfig small;
    small.bar2_size = 2 * kMiB;
    Bench little(config_of(2, small));
    little.boot(0);
    little.boot(1);
    ASSERT_EQ(little.map_lut(1, 0, 0, 0x10000, 64), kLocked);
    EXPECT_EQ(little.get(1, Reg::NtbBarError, 0), 0x00030002U);
    EXPECT_TRUE(little.chip.windows(0).empty());
    EXPECT_EQ(little.map_lut(1, 0, 0, 0x10000, 32), kNormal);
    EXPECT_EQ(little.get(1, Reg::NtbBarError, 0), 0U);
}

TEST_F(Configure, DirectWindowLargerThanTheBarIsRefused) {  // switchtec-kernel pull 9
    EXPECT_EQ(bar_error_of([&] { bench.write_direct(1, 0, 4, 0, 128 * kMiB); }), 0x00060004U);
    EXPECT_EQ(bench.map_direct(1, 0, 4, 0, 64 * kMiB), kNormal);
}

TEST_F(Configure, WindowOf4GibNeedsTheExtensionOfItsSize) {  // switchtec-kernel issue 8
    PartitionConfig large;
    large.bar4_size = 4096 * kMiB;
    Bench wide(config_of(2, large));
    wide.boot(0);
    wide.boot(1);
    ASSERT_EQ(wide.configure(1, 0,
                             [&] {
                                 wide.set(1, Reg::NtbBarCtl, 0, 4, kBarDirect);
                                 wide.set(1, Reg::NtbBarWindowSize, 0, 4, 32);  // 2^32 in 32 bits.
                                 wide.set(1, Reg::NtbBarTranslation, 0, 4, 1);
                             }),
              kLocked);
    EXPECT_EQ(wide.get(1, Reg::NtbBarError, 0), 0x00060004U);
    EXPECT_EQ(wide.map_direct(1, 0, 4, 0, 4096 * kMiB), kNormal);
}

TEST_F(Configure, DirectWindowMustFitBehindTheLut) {
    bench.map_lut(1, 0, 0, 0x10000);
    EXPECT_EQ(bar_error_of([&] { bench.write_direct(1, 0, 2, 0, 61 * kMiB); }), 0x00060002U);
    EXPECT_EQ(bench.map_direct(1, 0, 2, 0, 60 * kMiB), kNormal);
}

TEST_F(Configure, DirectSizesThatMakeNoSenseAreRefused) {
    const auto size = [&](std::uint32_t value) {
        return [this, value] {
            bench.set(1, Reg::NtbBarCtl, 0, 4, kBarDirect);
            bench.set(1, Reg::NtbBarWindowSize, 0, 4, value);
            bench.set(1, Reg::NtbBarTranslation, 0, 4, 1);
        };
    };
    EXPECT_EQ(bar_error_of(size(0)), 0x00060004U);
    EXPECT_EQ(bar_error_of(size(0x1000 | 11)), 0x00060004U) << "less than a page";
    EXPECT_EQ(bar_error_of(size(0x4000 | 13)), 0x00060004U) << "the same memory more than twice";
    EXPECT_EQ(bench.configure(1, 0, size(0x3000 | 13)), kNormal);
}

TEST_F(Configure, CrosslinksPositionBeyondItsSizeIsAccepted) {
    // crosslink_setup_mws: position from the room behind the LUT, size from the LUT region, address not
    // aligned to 2^position.
    bench.map_lut(1, 0, 0, 0x10000);
    ASSERT_EQ(bench.configure(1, 0,
                              [&] {
                                  bench.set(1, Reg::NtbBarCtl, 0, 2,
                                            bench.get(1, Reg::NtbBarCtl, 0, 2) | kBarDirect);
                                  bench.set(1, Reg::NtbBarWindowSize, 0, 2, 25 | 4 * kMiB);
                                  bench.set(1, Reg::NtbBarTranslation, 0, 2, 0x10'0040'0000 | 1);
                              }),
              kNormal);
    EXPECT_EQ(chip.translate(0, 2, 4 * kMiB)->address, 0x10'0040'0000U);
}

TEST_F(Configure, OtherBadBarsAreNamed) {
    const auto ctl = [&](unsigned bar, std::uint32_t value) {
        return [this, bar, value] { bench.set(1, Reg::NtbBarCtl, 0, bar, value); };
    };
    EXPECT_EQ(bar_error_of(ctl(0, kBarDirect)), 0x00010000U) << "BAR0 is no window";
    bench.op(1, 0, kOpReset);
    EXPECT_EQ(bar_error_of(ctl(4, lut_ctl(1))), 0x00020004U) << "LUT windows are in BAR2";
    bench.op(1, 0, kOpReset);
    EXPECT_EQ(bar_error_of(ctl(2, lut_ctl(1, 12))), 0x00040002U) << "entries are 64 KiB";
    bench.op(1, 0, kOpReset);
    EXPECT_EQ(bar_error_of([&] {
                  bench.write_direct(1, 0, 4, 0, kMiB);
                  bench.set(1, Reg::NtbBarTranslation, 0, 4, 7);
              }),
              0x00050004U)
        << "there is no partition 7";
}

TEST_F(Configure, BadLutEntriesAreNamed) {
    ASSERT_EQ(bench.map_lut(1, 0, 0, 0x10000, 65), kLocked);
    EXPECT_EQ(bench.get(1, Reg::NtbLutError, 0), 0x00010040U) << "64 entries exist";
    bench.op(1, 0, kOpReset);
    ASSERT_EQ(
        bench.configure(1, 0, [&] { bench.set(1, Reg::NtbLutEntry, 0, 9, 0x10000 | 3 << 1 | kLutValid); }),
        kLocked);
    EXPECT_EQ(bench.get(1, Reg::NtbLutError, 0), 0x00020009U);
    ASSERT_EQ(
        bench.configure(1, 0, [&] { bench.set(1, Reg::NtbLutEntry, 0, 9, 0x10000 | 0 << 1 | kLutValid); }),
        kLocked)
        << "a window from partition 0 to itself";
}

TEST_F(Configure, RequesterEntriesBeyondTheProxiesAreRefused) {
    PartitionConfig config;
    config.requester_ids = 512;
    Bench wide(config_of(2, config));
    wide.boot(0);
    ASSERT_EQ(wide.configure(0, 0, [&] { wide.set(0, Reg::NtbRequesterEntry, 0, 247, 0x10001); }), kNormal);
    ASSERT_EQ(wide.configure(0, 0, [&] { wide.set(0, Reg::NtbRequesterEntry, 0, 248, 0x10001); }), kLocked);
    EXPECT_EQ(wide.get(0, Reg::NtbRequesterError, 0), 0x000100F8U);
}

TEST_F(Configure, TargetsOutsideOfThePartitionsReachAreRefused) {
    Bench four(pairs(4));
    for (unsigned p = 0; p < 4; ++p) four.boot(p);
    EXPECT_EQ(four.map_lut(2, 0, 0, 0x10000), kLocked);
    four.op(2, 0, kOpReset);
    EXPECT_EQ(four.map_lut(1, 0, 0, 0x10000), kNormal);
}

TEST_F(Configure, WorkingWindowsSurviveARefusedConfigure) {
    bench.map_lut(1, 0, 0, 0x10000);
    const auto before = chip.windows(0);
    bench.configure(1, 0, [&] { bench.write_direct(1, 0, 4, 0, 128 * kMiB); });
    EXPECT_EQ(chip.windows(0), before);
}

TEST_F(Configure, ProxyIdsAreThereFromResetAndSurviveTheWriteOfARequesterId) {
    Bench fresh(2);
    EXPECT_EQ(fresh.get(1, Reg::NtbRequesterEntry, 0, 0), 8U << 1);
    EXPECT_EQ(fresh.get(1, Reg::NtbRequesterEntry, 0, 1), 9U << 1);
    fresh.chip.attach(0);
    fresh.op(0, 0, kOpLock);
    fresh.set(0, Reg::NtbRequesterEntry, 0, 1, 0x01000001);
    EXPECT_EQ(fresh.get(0, Reg::NtbRequesterEntry, 0, 1), 0x01000000U | 9U << 1 | 1)
        << "at once, before CONFIGURE";
}

TEST_F(Configure, EntriesThatDoNotExistReadZeroAndIgnoreWrites) {
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbLutEntry, 0, 64, ~0ULL);
    bench.set(1, Reg::NtbRequesterEntry, 0, 16, ~0U);
    EXPECT_EQ(bench.get(1, Reg::NtbLutEntry, 0, 64), 0U);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterEntry, 0, 16), 0U);
    EXPECT_EQ(bench.get(1, Reg::NtbLutEntries, 0), 64U);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterTableSize, 0), 16U);
}

}  // namespace
}  // namespace switchtec::test
