// SPDX-License-Identifier: MIT
// Interrupts come in the order of their causes, across kinds.
#include "bench.h"

namespace switchtec::test {
namespace {

constexpr unsigned kEvent = 0, kDoorbell = 1, kMessage = 2;

class InterruptOrder : public ::testing::Test {
  protected:
    InterruptOrder() {
        bench.boot(0);
        bench.boot(1);
        bench.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
        bench.set(0, Reg::MessageMap, 0, 0, 1 << 2);
        bench.set(1, Reg::InDoorbellMask, 1, 0, ~0ULL);
        bench.set(1, Reg::InMessageMask, 1, 0, 1);
        for (unsigned i = 0; i < 60; ++i) bench.set(1, Reg::InVectorMap, 1, i, kDoorbell);
        for (unsigned i = 60; i < 64; ++i) bench.set(1, Reg::InVectorMap, 1, i, kMessage);
        bench.chip.end_message_gaps(1);
        bench.set(1, Reg::PffEvent, 0, kPffEventLinkState, kEventOccurred | kEventEnableIrq);
    }
    void ring() { bench.set(0, Reg::OutDoorbell, 0, 0, 1); }
    void send() { bench.set(0, Reg::OutMessage, 0, 0, 1); }
    void link_change() { bench.chip.reset(0); }
    Bench bench{2};
};

TEST_F(InterruptOrder, MessageThenDoorbell) {
    send();
    ring();
    EXPECT_EQ(bench.interrupts(1), (Vectors{kMessage, kDoorbell}));
}

TEST_F(InterruptOrder, DoorbellThenMessage) {
    ring();
    send();
    EXPECT_EQ(bench.interrupts(1), (Vectors{kDoorbell, kMessage}));
}

TEST_F(InterruptOrder, EventAmongThem) {
    ring();
    link_change();
    EXPECT_EQ(bench.interrupts(1), (Vectors{kDoorbell, kEvent}));
}

TEST_F(InterruptOrder, QueuedVectorIsNotQueuedTwiceAndKeepsItsPlace) {
    send();
    ring();
    ring();
    send();
    EXPECT_EQ(bench.interrupts(1), (Vectors{kMessage, kDoorbell}));
    EXPECT_EQ(bench.interrupts(1), Vectors{});
}

TEST_F(InterruptOrder, CauseAfterTakingQueuesAgain) {
    ring();
    EXPECT_EQ(bench.chip.take_interrupt(1), kDoorbell);
    send();
    ring();
    EXPECT_EQ(bench.interrupts(1), (Vectors{kMessage, kDoorbell}));
}

TEST_F(InterruptOrder, EachCauseWakesItsHost) {
    bench.chip.take_wakeups();
    ring();
    EXPECT_EQ(bench.chip.take_wakeups(), 0b10U);
    send();
    EXPECT_EQ(bench.chip.take_wakeups(), 0b10U);
    EXPECT_EQ(bench.chip.take_wakeups(), 0U);
}

TEST_F(InterruptOrder, ResetDropsWhatIsQueued) {
    ring();
    bench.chip.reset(1);
    bench.chip.set_bus_master(1, true);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
}

}  // namespace
}  // namespace switchtec::test
