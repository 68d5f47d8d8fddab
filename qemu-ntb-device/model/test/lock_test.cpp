// SPDX-License-Identifier: MIT
// The lock of a control block: who gets it, in which order, and what each requester reads meanwhile.
#include "bench.h"

namespace switchtec::test {
namespace {

class Lock : public ::testing::Test {
  protected:
    Lock() {
        for (unsigned p = 0; p < 4; ++p) bench.boot(p);
    }
    void configure(unsigned host, unsigned block) {
        bench.op(host, block, kOpConfigure);
        bench.apply_windows();
    }
    Bench bench{4};
};

TEST_F(Lock, StatusAtPowerOn) {
    Bench fresh(2);
    EXPECT_EQ(fresh.get(0, Reg::NtbPartitionStatus, 0), 0x0000'0001U);
    EXPECT_EQ(fresh.get(0, Reg::NtbPartitionStatus, 1), 0x0100'0001U);
}

TEST_F(Lock, IsGrantedAtOnceWhenFree) {
    bench.op(3, 1, kOpLock);
    EXPECT_EQ(bench.get(3, Reg::NtbPartitionStatus, 1), 0x0103'0002U);
    EXPECT_EQ(bench.chip.lock_owner(1), 3U);
    EXPECT_EQ(bench.state(0, 0), kNormal) << "another block";
}

TEST_F(Lock, SecondRequesterReadsLockingUntilConfigure) {
    bench.op(0, 1, kOpLock);
    bench.op(1, 1, kOpLock);
    EXPECT_EQ(bench.state(0, 1), kLocked);
    EXPECT_EQ(bench.state(1, 1), kLocking);
    EXPECT_EQ(bench.owner(1, 1), 0U);
    configure(0, 1);
    EXPECT_EQ(bench.state(0, 1), kNormal) << "its CONFIGURE has succeeded, whoever holds the lock now";
    EXPECT_EQ(bench.state(1, 1), kLocked);
    EXPECT_EQ(bench.owner(0, 1), 1U);
}

TEST_F(Lock, SecondRequesterIsGrantedAfterReset) {
    bench.op(0, 1, kOpLock);
    bench.op(1, 1, kOpLock);
    bench.op(0, 1, kOpReset);
    EXPECT_EQ(bench.state(0, 1), kNormal);
    EXPECT_EQ(bench.state(1, 1), kLocked);
}

TEST_F(Lock, QueueIsFirstComeFirstServed) {
    bench.op(2, 0, kOpLock);
    for (unsigned p : {3U, 0U, 1U}) bench.op(p, 0, kOpLock);
    bench.op(3, 0, kOpLock);  // Asking again keeps the place.
    for (unsigned p : {2U, 3U, 0U, 1U}) {
        EXPECT_EQ(bench.state(p, 0), kLocked) << p;
        configure(p, 0);
        EXPECT_EQ(bench.state(p, 0), kNormal) << p;
    }
    EXPECT_EQ(bench.chip.lock_owner(0), std::nullopt);
}

TEST_F(Lock, OwnerMayLockAgain) {
    bench.op(0, 0, kOpLock);
    bench.set(0, Reg::NtbRequesterEntry, 0, 5, 0x12340001);
    bench.op(0, 0, kOpLock);
    EXPECT_EQ(bench.state(0, 0), kLocked);
    EXPECT_EQ(bench.get(0, Reg::NtbRequesterEntry, 0, 5) >> 16, 0x1234U);
}

TEST_F(Lock, BystanderReadsTheTrueState) {
    bench.op(0, 1, kOpLock);
    EXPECT_EQ(bench.state(2, 1), kLocked);
    EXPECT_EQ(bench.owner(2, 1), 0U);
}

TEST_F(Lock, ConfigureAndWritesOfOthersHaveNoEffect) {
    bench.op(0, 1, kOpLock);
    bench.op(1, 1, kOpLock);
    bench.set(1, Reg::NtbLutEntry, 1, 0, 0x10001);
    bench.set(2, Reg::NtbPartitionCtrl, 1, 0, kCtrlProtectionOff);
    bench.op(1, 1, kOpConfigure);
    EXPECT_EQ(bench.state(0, 1), kLocked);
    EXPECT_EQ(bench.state(1, 1), kLocking);
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 1, 0), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbPartitionCtrl, 1), 0U);
}

TEST_F(Lock, WritesWithoutLockHaveNoEffect) {
    bench.set(0, Reg::NtbLutEntry, 0, 0, 0x10001);
    bench.set(0, Reg::NtbBarCtl, 0, 2, kBarLut);
    bench.set(0, Reg::NtbRequesterEntry, 0, 3, 0x50001);
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 0, 0), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbBarCtl, 0, 2), kBarValid);
    EXPECT_EQ(bench.get(0, Reg::NtbRequesterEntry, 0, 3), 11U << 1);
    bench.op(0, 0, kOpConfigure);
    EXPECT_EQ(bench.state(0, 0), kNormal);
}

TEST_F(Lock, ResetOfAWaitingRequesterTakesItsRequestBackAndNoMore) {
    bench.map_lut(1, 0, 0, 0x10000);
    bench.op(1, 0, kOpLock);
    bench.set(1, Reg::NtbLutEntry, 0, 1, 0x20000 | 1 << 1 | kLutValid);
    bench.op(2, 0, kOpLock);
    bench.op(2, 0, kOpReset);
    EXPECT_EQ(bench.state(2, 0), kNormal);
    EXPECT_EQ(bench.state(1, 0), kLocked);
    configure(1, 0);
    EXPECT_EQ(bench.chip.windows(0), (std::vector<WindowSpan>{{2, 1, 0, 2 * kLutBytes, 0x10000}}));
    EXPECT_EQ(bench.chip.lock_owner(0), std::nullopt);
}

TEST_F(Lock, ResetClearsWindowsAndKeepsRequesterIds) {
    bench.map_lut(1, 0, 0, 0x10000);
    bench.map_direct(1, 0, 4, 0, kMiB);
    bench.op(1, 0, kOpReset);
    EXPECT_EQ(bench.state(1, 0), kResetting);
    bench.apply_windows();
    EXPECT_EQ(bench.state(1, 0), kNormal);
    EXPECT_TRUE(bench.chip.windows(0).empty());
    EXPECT_EQ(bench.get(1, Reg::NtbLutEntry, 0, 0), 0U);
    EXPECT_EQ(bench.get(1, Reg::NtbBarCtl, 0, 4), kBarValid);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterEntry, 0, 0), 8U << 1 | kRequesterValid);
}

TEST_F(Lock, RequesterThatResetsOrDiesLeavesTheQueue) {
    bench.op(0, 3, kOpLock);
    bench.op(1, 3, kOpLock);
    bench.op(2, 3, kOpLock);
    bench.chip.reset(1);
    bench.chip.detach(0);
    EXPECT_EQ(bench.state(2, 3), kLocked);
    EXPECT_EQ(bench.state(1, 3), kLocked) << "the true state: it does not wait any more";
    configure(2, 3);
    EXPECT_EQ(bench.chip.lock_owner(3), std::nullopt);
}

TEST_F(Lock, StagedRegistersOfAnOwnerThatDiesAreDropped) {
    bench.op(0, 3, kOpLock);
    bench.op(1, 3, kOpLock);
    bench.set(0, Reg::NtbLutEntry, 3, 0, 0x10000 | kLutValid);
    bench.chip.detach(0);
    EXPECT_EQ(bench.get(1, Reg::NtbLutEntry, 3, 0), 0U);
}

TEST_F(Lock, UnknownOperationDoesNothing) {
    bench.op(0, 0, kOpLock);
    bench.op(0, 0, 7);
    EXPECT_EQ(bench.state(0, 0), kLocked);
}

}  // namespace
}  // namespace switchtec::test
