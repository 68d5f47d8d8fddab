// SPDX-License-Identifier: MIT
// Messages: where they go, and what happens to one that comes before the last was read.
#include "bench.h"

namespace switchtec::test {
namespace {

constexpr std::uint64_t kStatus = 1ULL << 32, kMask = 1ULL << 40;

class Message : public ::testing::Test {
  protected:
    Message() {
        for (unsigned p = 0; p < 3; ++p) {
            bench.boot(p);
            bench.set(p, Reg::MessageMap, p, 0, map_to(p == 0 ? 1 : 0));
            for (unsigned i = 0; i < 4; ++i) {
                bench.chip.write(p, offset_of(Reg::InMessage, p, i), kStatus | kMask, 8);
                bench.set(p, Reg::InVectorMap, p, 60 + i, 2);
            }
            bench.chip.end_message_gaps(p);
        }
    }
    /// As switchtec_ntb_init_msgs.
    static std::uint32_t map_to(unsigned partition) {
        std::uint32_t map = 0;
        for (unsigned i = 0; i < 4; ++i) map |= (i | partition << 2) << 8 * i;
        return map;
    }
    void send(unsigned host, unsigned index, std::uint32_t message) {
        bench.set(host, Reg::OutMessage, host, index, message);
    }
    /// As the driver's interrupt handler reads it: message, status, mask, source.
    std::uint64_t in(unsigned host, unsigned index) {
        return bench.chip.read(host, offset_of(Reg::InMessage, host, index), 8);
    }
    void clear(unsigned host, unsigned index) { bench.set(host, Reg::InMessageStatus, host, index, 1); }
    void read_and_wait(unsigned host, unsigned index) {
        clear(host, index);
        bench.chip.end_message_gaps(host);
    }
    std::uint64_t out_status(unsigned host, unsigned index) {
        return bench.get(host, Reg::OutMessageStatus, host, index);
    }
    Bench bench{3};
};

TEST_F(Message, ArrivesWithStatusAndSource) {
    send(1, 2, 0xCAFE);
    EXPECT_EQ(in(0, 2), 0xCAFE | kStatus | kMask | 1ULL << 48);
    EXPECT_EQ(bench.interrupts(0), Vectors{2});
    EXPECT_EQ(out_status(1, 2), 0U);
    clear(0, 2);
    EXPECT_EQ(in(0, 2) & kStatus, 0U);
}

TEST_F(Message, MapChoosesTargetAndInboundRegister) {
    bench.set(0, Reg::MessageMap, 0, 0, 0x00'00'00'00 | (3 | 2 << 2) << 8);
    send(0, 1, 5);
    EXPECT_EQ(in(2, 3), 5 | kStatus | kMask);
    EXPECT_EQ(in(1, 1) & kStatus, 0U);
}

TEST_F(Message, MaskedMessageInterruptsWhenItIsUnmasked) {
    bench.set(0, Reg::InMessageMask, 0, 0, 0);
    send(1, 0, 5);
    EXPECT_EQ(bench.interrupts(0), Vectors{});
    bench.set(0, Reg::InMessageMask, 0, 0, 1);
    EXPECT_EQ(bench.interrupts(0), Vectors{2});
}

TEST_F(Message, OneWriteOfEightBytesClearsAndEnables) {
    bench.set(0, Reg::InMessageMask, 0, 0, 0);
    send(1, 0, 5);
    bench.chip.write(0, offset_of(Reg::InMessage, 0, 0), kStatus | kMask, 8);
    EXPECT_EQ(in(0, 0), 5 | kMask | 1ULL << 48);
    EXPECT_EQ(bench.interrupts(0), Vectors{});
}

TEST_F(Message, SecondMessageWaitsUntilTheFirstIsRead) {
    send(1, 0, 4);  // FORCE_DOWN, then UP: one must not overwrite the other.
    send(1, 0, 1);
    EXPECT_EQ(in(0, 0) & 0xFFFFFFFF, 4U);
    EXPECT_EQ(out_status(1, 0), kMessageWaiting);
    bench.interrupts(0);
    clear(0, 0);
    EXPECT_EQ(in(0, 0) & kStatus, 0U) << "UP would be lost in the work item that is to handle FORCE_DOWN";
    EXPECT_EQ(bench.interrupts(0), Vectors{});
    EXPECT_EQ(bench.chip.message_gaps(0), 1U);
    bench.chip.end_message_gaps(0);
    EXPECT_EQ(in(0, 0), 1 | kStatus | kMask | 1ULL << 48);
    EXPECT_EQ(out_status(1, 0), 0U);
    EXPECT_EQ(bench.interrupts(0), Vectors{2});
}

TEST_F(Message, LaterWriteReplacesAWaitingMessage) {
    for (std::uint32_t m : {4U, 1U, 3U}) send(1, 0, m);
    read_and_wait(0, 0);
    EXPECT_EQ(in(0, 0) & 0xFFFFFFFF, 3U);
    read_and_wait(0, 0);
    EXPECT_EQ(in(0, 0) & kStatus, 0U);
}

TEST_F(Message, WaitingMessagesComeInTheOrderTheyWereSent) {
    send(1, 0, 10);
    send(2, 0, 20);
    send(1, 0, 11);
    for (std::uint32_t expected : {10U, 20U, 11U}) {
        EXPECT_EQ(in(0, 0) & 0xFFFFFFFF, expected);
        read_and_wait(0, 0);
    }
    EXPECT_EQ(in(0, 0) & kStatus, 0U);
}

TEST_F(Message, AMessageThatWaitsSendsTheInterruptOfTheUnreadOneAgain) {
    bench.set(0, Reg::InVectorMap, 0, 60, 0);
    bench.chip.end_message_gaps(0);
    send(1, 0, 4);
    EXPECT_EQ(bench.interrupts(0), Vectors{0});
    bench.set(0, Reg::InVectorMap, 0, 60, 2);
    bench.chip.end_message_gaps(0);
    send(1, 0, 1);
    EXPECT_EQ(bench.interrupts(0), Vectors{2}) << "or the first message would block the register for ever";
}

TEST_F(Message, AMessageThatComesInAGapWaitsForItsEnd) {
    send(1, 0, 4);
    clear(0, 0);
    bench.interrupts(0);
    send(1, 0, 1);
    EXPECT_EQ(out_status(1, 0), kMessageWaiting);
    EXPECT_EQ(bench.interrupts(0), Vectors{});
    bench.chip.end_message_gaps(0);
    EXPECT_EQ(in(0, 0), 1 | kStatus | kMask | 1ULL << 48);
    EXPECT_EQ(bench.interrupts(0), Vectors{2});
}

TEST_F(Message, AGapClosesNoOtherRegisterAndOnlyAMessageBeginsOne) {
    clear(0, 1);
    EXPECT_EQ(bench.chip.message_gaps(0), 0U);
    send(1, 0, 4);
    clear(0, 0);
    send(1, 1, 5);
    EXPECT_EQ(in(0, 1) & 0xFFFFFFFF, 5U);
}

TEST_F(Message, AGapEndsWithTheHost) {
    send(1, 0, 4);
    clear(0, 0);
    bench.chip.reset(0);
    EXPECT_EQ(bench.chip.message_gaps(0), 0U);
}

TEST_F(Message, IsNotDeliveredToAHostThatGaveItNoVector) {
    bench.chip.reset(0);
    bench.boot(0);
    EXPECT_EQ(bench.get(0, Reg::InVectorMap, 0, 60), 0xFFU);
    bench.set(0, Reg::InMessageMask, 0, 0, 1);
    send(1, 0, 4);
    EXPECT_EQ(in(0, 0), kMask);
    EXPECT_EQ(out_status(1, 0), kMessageUndelivered);
    bench.set(0, Reg::InVectorMap, 0, 60, 2);
    bench.chip.end_message_gaps(0);
    send(1, 0, 1);
    EXPECT_EQ(in(0, 0), 1 | kStatus | kMask | 1ULL << 48);
    EXPECT_EQ(bench.interrupts(0), Vectors{2});
}

TEST_F(Message, OfWhatAPeerSendsAfterTheVectorWasSetOnlyTheLastComes) {
    bench.chip.reset(0);
    bench.boot(0);
    bench.set(0, Reg::InMessageMask, 0, 0, 1);
    bench.set(0, Reg::InVectorMap, 0, 60, 2);
    EXPECT_EQ(bench.chip.message_gaps(0), 1U);
    send(1, 0, 4);  // FORCE_DOWN and UP of a peer that probes at the same time.
    send(1, 0, 1);
    EXPECT_EQ(in(0, 0), kMask);
    bench.chip.end_message_gaps(0);
    EXPECT_EQ(in(0, 0), 1 | kStatus | kMask | 1ULL << 48);
    EXPECT_EQ(bench.interrupts(0), Vectors{2});
    clear(0, 0);
    bench.chip.end_message_gaps(0);
    EXPECT_EQ(in(0, 0) & kStatus, 0U);
}

TEST_F(Message, NeitherADoorbellsVectorNorNoVectorBeginsAGap) {
    bench.set(0, Reg::InVectorMap, 0, 59, 2);
    bench.set(0, Reg::InVectorMap, 0, 60, kNoVector);
    EXPECT_EQ(bench.chip.message_gaps(0), 0U);
}

TEST_F(Message, NoSuchTargetOrNoHostThereIsShownToTheSender) {
    bench.set(0, Reg::MessageMap, 0, 0, 9 << 2);
    send(0, 0, 5);
    EXPECT_EQ(out_status(0, 0), kMessageUndelivered);
    bench.set(0, Reg::MessageMap, 0, 0, map_to(1));
    bench.chip.detach(1);
    send(0, 0, 5);
    EXPECT_EQ(out_status(0, 0), kMessageUndelivered);
    bench.boot(1);
    bench.set(1, Reg::InVectorMap, 1, 60, 2);
    bench.chip.end_message_gaps(1);
    EXPECT_EQ(in(1, 0), 0U);
    send(0, 0, 5);
    EXPECT_EQ(out_status(0, 0), 0U);
    EXPECT_EQ(in(1, 0), 5 | kStatus);
}

TEST_F(Message, WhatWaitsForAHostThatResetsIsLost) {
    send(1, 0, 4);
    send(1, 0, 1);
    bench.chip.reset(0);
    EXPECT_EQ(in(0, 0), 0U);
    EXPECT_EQ(out_status(1, 0), kMessageUndelivered);
}

TEST_F(Message, WhatAHostThatResetsHadWaitingIsLost) {
    send(1, 0, 4);
    send(1, 0, 1);
    bench.chip.reset(1);
    read_and_wait(0, 0);
    EXPECT_EQ(in(0, 0) & kStatus, 0U);
}

TEST_F(Message, ReadOnlyPartsIgnoreWrites) {
    send(1, 0, 5);
    bench.set(0, Reg::InMessage, 0, 0, 99);
    bench.set(0, Reg::InMessageSource, 0, 0, 99);
    bench.set(0, Reg::InMessageStatus, 0, 0, 0xFE);
    EXPECT_EQ(in(0, 0), 5 | kStatus | kMask | 1ULL << 48);
}

}  // namespace
}  // namespace switchtec::test
