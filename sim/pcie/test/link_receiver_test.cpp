// SPDX-License-Identifier: MIT
// When acknowledgements and credit updates are due.
#include "link_receiver.h"

#include <gtest/gtest.h>

namespace ntblab::pcie {
namespace {

constexpr std::size_t kPosted = index_of(FlowClass::posted);
constexpr Picoseconds kLatency = 1000, kTimeout = 3000, kPeriod = nanoseconds(30'000);

class LinkReceiverTest : public testing::Test {
  protected:
    LinkReceiver receiver{{CreditPair{8, 64}, {8, 64}, {kInfiniteCredits, kInfiniteCredits}},
                          {kLatency, kTimeout}};
};

TEST_F(LinkReceiverTest, OneAcknowledgementIsForAllThatHasCome) {
    for (const std::uint64_t sequence : {0, 1, 2}) EXPECT_TRUE(receiver.take(sequence, true, 100 * sequence));
    EXPECT_EQ(receiver.due(), kLatency);
    const Dllp dllp = receiver.next(kLatency);
    EXPECT_EQ(dllp.kind, Dllp::Kind::acknowledge);
    EXPECT_EQ(dllp.sequence, 3U);
    EXPECT_EQ(receiver.due(), kNever);
}

TEST_F(LinkReceiverTest, WhatIsNotWholeIsRejectedAtOnceAndAgainAfterTheTimeout) {
    EXPECT_TRUE(receiver.take(0, true, 10));
    EXPECT_FALSE(receiver.take(1, false, 20));
    EXPECT_FALSE(receiver.take(2, true, 30));  // behind it
    EXPECT_EQ(receiver.due(), 20U);
    Dllp dllp = receiver.next(20);
    EXPECT_EQ(dllp.kind, Dllp::Kind::reject);
    EXPECT_EQ(dllp.sequence, 1U);
    EXPECT_FALSE(receiver.take(1, false, 40));
    EXPECT_EQ(receiver.due(), 40 + kTimeout);
}

TEST_F(LinkReceiverTest, UpdatesAreCollectedOrAreSentWhenHalfTheBufferIsTaken) {
    receiver.free(kPosted, {1, 4}, 10);
    EXPECT_EQ(receiver.due(), kLatency);
    receiver.free(kPosted, {1, 4}, 20);
    receiver.free(kPosted, {2, 8}, 30);
    EXPECT_EQ(receiver.due(), 10U);
}

TEST_F(LinkReceiverTest, InfiniteCreditsAreNotUpdated) {
    receiver.free(index_of(FlowClass::completion), {1, 4}, 10);
    EXPECT_EQ(receiver.due(), kNever);
}

// UpdateFCs give totals: what a lost one said, the next one says, too.
TEST_F(LinkReceiverTest, TheNextUpdateMakesGoodForOneThatWasLost) {
    receiver.free(kPosted, {4, 32}, 10);
    receiver.lost(receiver.next(10), 10);
    EXPECT_EQ(receiver.due(), 10 + kPeriod);
    receiver.free(kPosted, {1, 8}, 2000);
    EXPECT_EQ(receiver.due(), 2000U);
    const Dllp dllp = receiver.next(2000);
    EXPECT_EQ(dllp.freed, (CreditPair{5, 40}));
    EXPECT_EQ(receiver.due(), kNever);
}

TEST_F(LinkReceiverTest, AnUpdateThatWasLostComesAgainWithinThePeriod) {
    receiver.free(kPosted, {4, 32}, 10);
    receiver.lost(receiver.next(10), 10);
    EXPECT_EQ(receiver.next(10 + kPeriod).freed, (CreditPair{4, 32}));
    EXPECT_EQ(receiver.due(), kNever);
}

}  // namespace
}  // namespace ntblab::pcie
