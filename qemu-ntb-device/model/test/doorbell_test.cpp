// SPDX-License-Identifier: MIT
// Doorbells: what goes out, what interrupts.
#include "bench.h"

namespace switchtec::test {
namespace {

class Doorbell : public ::testing::Test {
  protected:
    Doorbell() {
        for (unsigned p : {0U, 1U}) {
            bench.boot(p);
            bench.set(p, Reg::OutDoorbellMask, p, 0, ~0ULL);
            bench.set(p, Reg::InDoorbellMask, p, 0, ~0ULL);
            for (unsigned i = 0; i < 64; ++i) bench.set(p, Reg::InVectorMap, p, i, 1);
        }
    }
    void ring(unsigned host, std::uint64_t bits) { bench.set(host, Reg::OutDoorbell, host, 0, bits); }
    std::uint64_t pending(unsigned host) { return bench.get(host, Reg::InDoorbell, host); }
    Bench bench{2};
};

TEST_F(Doorbell, RingsAtTheOtherPartition) {
    ring(0, 1ULL << 32 | 1);
    EXPECT_EQ(pending(1), 1ULL << 32 | 1);
    EXPECT_EQ(pending(0), 0U);
    EXPECT_EQ(bench.interrupts(1), Vectors{1});
    EXPECT_EQ(bench.interrupts(0), Vectors{});
}

TEST_F(Doorbell, OnlyBitsOfTheOutboundMaskGoOut) {
    bench.set(0, Reg::OutDoorbellMask, 0, 0, 0xF0);
    ring(0, 0xFF);
    EXPECT_EQ(pending(1), 0xF0U);
    bench.set(0, Reg::OutDoorbellMask, 0, 0, 0);
    ring(0, 0x0F);
    EXPECT_EQ(pending(1), 0xF0U);
}

TEST_F(Doorbell, NothingGoesOutAtPowerOn) {
    Bench fresh(2);
    fresh.boot(0);
    fresh.boot(1);
    fresh.set(0, Reg::OutDoorbell, 0, 0, ~0ULL);
    EXPECT_EQ(fresh.get(1, Reg::InDoorbell, 1), 0U);
}

TEST_F(Doorbell, WriteOneClears) {
    ring(0, 0xFF);
    bench.set(1, Reg::InDoorbell, 1, 0, 0x0F);
    EXPECT_EQ(pending(1), 0xF0U);
}

TEST_F(Doorbell, MaskedBitInterruptsWhenItIsUnmasked) {
    bench.set(1, Reg::InDoorbellMask, 1, 0, 0xF000'0000'0000'0000);
    ring(0, 0x5);
    EXPECT_EQ(pending(1), 0x5U);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    bench.set(1, Reg::InDoorbellMask, 1, 0, 0x2);
    EXPECT_EQ(bench.interrupts(1), Vectors{}) << "bit 1 is not pending";
    bench.set(1, Reg::InDoorbellMask, 1, 0, 0x6);
    EXPECT_EQ(bench.interrupts(1), Vectors{1});
    bench.set(1, Reg::InDoorbellMask, 1, 0, 0x6);
    EXPECT_EQ(bench.interrupts(1), Vectors{}) << "nothing was unmasked";
}

TEST_F(Doorbell, ClearedWhileMaskedDoesNotInterruptLater) {
    bench.set(1, Reg::InDoorbellMask, 1, 0, 0);
    ring(0, 1);
    bench.set(1, Reg::InDoorbell, 1, 0, 1);
    bench.set(1, Reg::InDoorbellMask, 1, 0, 1);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
}

TEST_F(Doorbell, EachBitHasItsVector) {
    for (unsigned i = 0; i < 4; ++i) bench.set(1, Reg::InVectorMap, 1, i, 3 - i);
    ring(0, 0xF);
    EXPECT_EQ(bench.interrupts(1), (Vectors{3, 2, 1, 0}));
}

TEST_F(Doorbell, VectorsThatTheTableDoesNotHaveAreNotSent) {
    bench.set(1, Reg::InVectorMap, 1, 0, 4);
    bench.set(1, Reg::InVectorMap, 1, 1, 0xFF);
    ring(0, 0x3);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    EXPECT_EQ(pending(1), 0x3U);
}

TEST_F(Doorbell, RingingAPendingBitInterruptsAgain) {
    ring(0, 1);
    EXPECT_EQ(bench.interrupts(1), Vectors{1});
    ring(0, 1);
    EXPECT_EQ(bench.interrupts(1), Vectors{1});
}

TEST_F(Doorbell, ReadingTheOutboundDoorbellHasNoEffect) {
    ring(0, 0x7);
    bench.interrupts(1);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(bench.chip.read(0, 0x75000, 4), 0U);
    EXPECT_EQ(bench.chip.read(1, 0x75000, 4), 0U);
    EXPECT_EQ(pending(1), 0x7U);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    EXPECT_EQ(bench.chip.take_wakeups() & 2, 2U) << "of the rings before";
    bench.chip.read(0, 0x75000, 4);
    EXPECT_EQ(bench.chip.take_wakeups(), 0U);
}

TEST_F(Doorbell, FourByteWritesSetBitsOfTheirHalf) {
    const auto odb = offset_of(Reg::OutDoorbell, 0);
    bench.chip.write(0, odb, 0x1, 4);
    bench.chip.write(0, odb + 4, 0x1, 4);
    EXPECT_EQ(pending(1), 1ULL << 32 | 1);
}

TEST_F(Doorbell, NotAtAHostThatIsAway) {
    bench.chip.detach(1);
    ring(0, 1);
    bench.boot(1);
    EXPECT_EQ(pending(1), 0U);
}

TEST_F(Doorbell, WithoutBusMasterTheInterruptComesWhenItIsEnabled) {
    bench.chip.set_bus_master(1, false);
    ring(0, 1);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    bench.chip.set_bus_master(1, true);
    EXPECT_EQ(bench.interrupts(1), Vectors{1});
}

TEST_F(Doorbell, RingsAtEveryTargetAndNoOther) {
    ChipConfig config = config_of(4);
    config.partitions[0].targets = 0b1010;
    Bench four(config);
    for (unsigned p = 0; p < 4; ++p) four.boot(p);
    four.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
    four.set(0, Reg::OutDoorbell, 0, 0, 1);
    for (unsigned p : {1U, 3U}) EXPECT_EQ(four.get(p, Reg::InDoorbell, p), 1U) << p;
    for (unsigned p : {0U, 2U}) EXPECT_EQ(four.get(p, Reg::InDoorbell, p), 0U) << p;
}

TEST_F(Doorbell, OnlyOnesOwnBlockIsThere) {
    ring(0, 1);
    EXPECT_EQ(bench.get(0, Reg::InDoorbell, 1), 0U);
    EXPECT_EQ(bench.get(0, Reg::InDoorbellMask, 1), 0U);
    bench.set(0, Reg::InDoorbell, 1, 0, ~0ULL);
    bench.set(0, Reg::InDoorbellMask, 1, 0, 0);
    EXPECT_EQ(pending(1), 1U);
    EXPECT_EQ(bench.get(1, Reg::InDoorbellMask, 1), ~0ULL);
}

}  // namespace
}  // namespace switchtec::test
