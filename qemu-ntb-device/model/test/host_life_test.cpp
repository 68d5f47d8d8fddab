// SPDX-License-Identifier: MIT
// What a host's reset, death and return do to it and to its peers.
#include "bench.h"

namespace switchtec::test {
namespace {

class HostLife : public ::testing::Test {
  protected:
    HostLife() {
        for (unsigned p = 0; p < 3; ++p) bench.boot(p);
        bench.map_lut(1, 0, 0, 0x10000);  // 0 sees 1 and 2, 1 sees 0.
        bench.map_lut(2, 0, 1, 0x20000);
        bench.map_direct(1, 0, 4, 0x4000'0000, kMiB);
        bench.map_lut(0, 1, 0, 0x30000);
        bench.apply_windows();
        chip.take_wakeups();
    }
    Bench bench{3};
    Chip& chip = bench.chip;
};

TEST_F(HostLife, ResetClosesEveryWindowThatLeadsToTheHostAndItsOwn) {
    chip.reset(1);
    EXPECT_EQ(chip.windows(0), (std::vector<WindowSpan>{{2, 2, kLutBytes, kLutBytes, 0x20000}}));
    EXPECT_TRUE(chip.windows(1).empty());
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 0, 0), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbBarCtl, 0, 4), kBarValid);
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 1, 0), 0U);
    EXPECT_FALSE(chip.windows_settled(0));
    EXPECT_FALSE(chip.windows_settled(1));
    EXPECT_TRUE(chip.windows_settled(2));
    EXPECT_EQ(chip.take_wakeups() & 0b11, 0b11U);
}

TEST_F(HostLife, DetachClosesTheSameAndNobodyWaitsForTheDead) {
    chip.detach(1);
    EXPECT_EQ(chip.windows(0).size(), 1U);
    EXPECT_FALSE(chip.windows_settled(0));
    EXPECT_TRUE(chip.windows_settled(1));
    EXPECT_FALSE(chip.attached(1));
    EXPECT_FALSE(chip.bus_master(1));
}

TEST_F(HostLife, WindowsDoNotComeBackByThemselves) {
    // The dead host's memory still holds what the driver takes for a sign of life.
    chip.detach(1);
    bench.boot(1);
    EXPECT_EQ(chip.windows(0).size(), 1U);
    EXPECT_TRUE(chip.windows(1).empty());
    ASSERT_EQ(bench.map_lut(1, 0, 0, 0x10000), kNormal);
    EXPECT_EQ(chip.windows(0).size(), 2U) << "its own driver has programmed it";
}

TEST_F(HostLife, ReturnNeedsTheDriverAndBusMaster) {
    chip.detach(1);
    chip.attach(1);
    ASSERT_EQ(bench.map_lut(1, 0, 0, 0x10000), kNormal);
    EXPECT_EQ(chip.windows(0).size(), 1U);
    chip.set_bus_master(1, true);
    EXPECT_EQ(chip.windows(0).size(), 2U);
}

TEST_F(HostLife, OwnWindowsNeedTheHostsOwnRequesterIds) {
    chip.detach(1);
    ASSERT_EQ(bench.map_lut(0, 1, 0, 0x30000), kNormal);
    chip.attach(1);
    chip.set_bus_master(1, true);
    EXPECT_TRUE(chip.windows(1).empty()) << "a peer has programmed them, its own driver has not begun";
    bench.configure(1, 1, [&] { bench.set(1, Reg::NtbRequesterEntry, 1, 0, kRequesterValid); });
    EXPECT_EQ(chip.windows(1).size(), 1U) << "what a peer set up while it was away holds";
}

TEST_F(HostLife, ResetPutsDoorbellsAndMessagesToPowerOn) {
    for (Reg reg : {Reg::OutDoorbellMask, Reg::InDoorbellMask}) bench.set(1, reg, 1, 0, ~0ULL);
    bench.set(1, Reg::MessageMap, 1, 0, 0x01010101);
    bench.set(1, Reg::InVectorMap, 1, 7, 3);
    bench.set(1, Reg::InMessageMask, 1, 2, 1);
    bench.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
    bench.set(0, Reg::OutDoorbell, 0, 0, 5);
    chip.reset(1);
    for (std::uint32_t offset = offset_of(Reg::OutDoorbell, 1);
         offset < offset_of(Reg::OutDoorbell, 1) + 0xA8; offset += 8) {
        const bool vectors =
            offset >= offset_of(Reg::InVectorMap, 1) && offset < offset_of(Reg::MessageMap, 1);
        EXPECT_EQ(chip.read(1, offset, 8), vectors ? ~0ULL : 0) << std::hex << offset;
    }
    EXPECT_EQ(bench.get(0, Reg::OutDoorbellMask, 0), ~0ULL) << "the peer's registers stay";
    EXPECT_EQ(bench.get(2, Reg::InDoorbell, 2), 5U);
}

TEST_F(HostLife, ResetPutsItsControlBlockToPowerOn) {
    bench.configure(1, 1, [&] {
        bench.set(1, Reg::NtbPartitionCtrl, 1, 0, kCtrlProtectionOff);
        bench.set(1, Reg::NtbRequesterEntry, 1, 1, 0x01000001);
    });
    chip.reset(1);
    EXPECT_EQ(bench.get(0, Reg::NtbPartitionCtrl, 1), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbRequesterEntry, 1, 0), 8U << 1);
    EXPECT_EQ(bench.get(0, Reg::NtbRequesterEntry, 1, 1), 9U << 1);
    EXPECT_EQ(bench.get(0, Reg::NtbBarCtl, 1, 2), kBarValid);
}

TEST_F(HostLife, PeersLockOnTheBlockOfAHostThatResetsStays) {
    bench.op(0, 1, kOpLock);
    bench.op(2, 1, kOpLock);
    chip.reset(1);
    EXPECT_EQ(bench.state(0, 1), kLocked) << "or the peer's probe would fail";
    bench.op(0, 1, kOpConfigure);
    bench.apply_windows();
    EXPECT_EQ(bench.state(0, 1), kNormal);
    EXPECT_EQ(bench.state(2, 1), kLocked);
}

TEST_F(HostLife, StagedWindowsToAHostThatResetsAreGoneToo) {
    bench.op(1, 0, kOpLock);
    bench.op(2, 0, kOpLock);
    bench.set(1, Reg::NtbLutEntry, 0, 5, 0x50000 | 1 << 1 | kLutValid);
    chip.reset(1);
    ASSERT_EQ(bench.state(2, 0), kLocked);
    EXPECT_EQ(bench.get(2, Reg::NtbLutEntry, 0, 5), 0U);
    bench.op(2, 0, kOpConfigure);
    bench.apply_windows();
    EXPECT_EQ(chip.windows(0).size(), 1U);
}

TEST_F(HostLife, ResetEndsBusMastering) {
    chip.reset(1);
    EXPECT_TRUE(chip.attached(1));
    EXPECT_FALSE(chip.bus_master(1));
}

TEST_F(HostLife, RequesterIdIsKeptOverResetAndForgottenByDetach) {
    chip.set_requester_id(1, 0x0100);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterId), 0x0100U);
    EXPECT_EQ(bench.get(0, Reg::NtbRequesterId), 0U) << "each reads its own";
    chip.reset(1);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterId), 0x0100U);
    chip.detach(1);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterId), 0U);
}

TEST_F(HostLife, EventsOfAHostThatIsAwayHaveNoEffect) {
    chip.detach(1);
    chip.take_wakeups();
    chip.reset(1);
    chip.set_bus_master(1, true);
    EXPECT_FALSE(chip.bus_master(1));
    EXPECT_EQ(chip.take_wakeups(), 0U);
}

TEST_F(HostLife, AttachTwiceIsOnce) {
    chip.take_wakeups();
    chip.attach(1);
    EXPECT_TRUE(chip.bus_master(1));
    EXPECT_EQ(chip.windows(0).size(), 3U);
}

TEST_F(HostLife, BusMasterChangesNothingTwice) {
    const auto generation = chip.window_generation(0);
    chip.set_bus_master(1, true);
    EXPECT_EQ(chip.window_generation(0), generation);
}

TEST_F(HostLife, LinkStatusFollowsTheHost) {
    const auto link = [&](unsigned pff) {
        return chip.read(0, offset_of(Reg::PffVendorId, pff) + 0x74, 4) >> 16;
    };
    EXPECT_EQ(link(3), 4U | 16U << 4);
    chip.detach(1);
    EXPECT_EQ(link(3), 0U);
    EXPECT_EQ(bench.get(0, Reg::PartStatus, 1), 0U);
}

}  // namespace
}  // namespace switchtec::test
