// SPDX-License-Identifier: MIT
// Doorbells and messages from process to process.
#include <gtest/gtest.h>

#include "cluster.h"
#include "driver.h"
#include "peer_process.h"

namespace fabric::test {
namespace {

class InterruptTest : public ::testing::Test {
  protected:
    Cluster cluster_{2};
    Host a_{cluster_.socket(), 0};
};

TEST_F(InterruptTest, DoorbellCrossesProcesses) {
    set_up_interrupts(a_, 1);
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        set_up_interrupts(host, 0);
        ring(host, 5);
        service_until_told(host);
        return 0;
    });
    ASSERT_TRUE(a_.wait([&] { return a_.count(kDoorbellVector) > 0; }));
    EXPECT_EQ(take_doorbells(a_), std::uint64_t{1} << 5);
}

TEST_F(InterruptTest, ThousandRoundTripsLoseNone) {
    constexpr unsigned kRounds = 1000;
    set_up_interrupts(a_, 1);
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        set_up_interrupts(host, 0);
        ring(host, 1);  // Ready.
        for (unsigned round = 0; round < kRounds; ++round) {
            if (!host.wait([&] { return host.count(kDoorbellVector) > round; })) return 1;
            if (take_doorbells(host) != 1) return 2;
            ring(host, 0);
        }
        service_until_told(host);
        return host.count(kDoorbellVector) == kRounds ? 0 : 3;
    });
    ASSERT_TRUE(a_.wait([&] { return take_doorbells(a_) == 2; }));
    a_.interrupts.clear();
    for (unsigned round = 0; round < kRounds; ++round) {
        ring(a_, 0);
        ASSERT_TRUE(a_.wait([&] { return a_.count(kDoorbellVector) > round; })) << "round " << round;
        ASSERT_EQ(take_doorbells(a_), 1U);
    }
    EXPECT_EQ(a_.count(kDoorbellVector), kRounds);
    b.tell_to_end();
    EXPECT_EQ(b.join(a_), 0);
}

TEST_F(InterruptTest, SeveralAtOneWakeUpKeepTheOrderOfTheirCauses) {
    for (const bool message_first : {true, false}) {
        set_up_interrupts(a_, 1);
        a_.interrupts.clear();
        PeerProcess b(cluster_.socket(), 1, [message_first](Host& host) {
            set_up_interrupts(host, 0);
            if (message_first) send(host, 0, 0x1234);
            ring(host, 3);
            if (!message_first) send(host, 0, 0x1234);
            service_until_told(host);
            return 0;
        });
        ASSERT_TRUE(a_.wait([&] { return a_.count(kMessageVector) > 0 && a_.count(kDoorbellVector) > 0; }));
        const std::vector<unsigned> first{kMessageVector, kDoorbellVector};
        const std::vector<unsigned> second{kDoorbellVector, kMessageVector};
        std::vector<unsigned> seen;
        for (const unsigned vector : a_.interrupts) {
            if (vector != kEventVector) seen.push_back(vector);
        }
        EXPECT_EQ(seen, message_first ? first : second);
        EXPECT_EQ(take_message(a_, 0), 0x1234U);
        take_doorbells(a_);
    }
}

TEST_F(InterruptTest, DoorbellAfterAMessageFindsTheMessage) {
    constexpr unsigned kRounds = 500;
    set_up_interrupts(a_, 1);
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        set_up_interrupts(host, 0);
        for (unsigned round = 1; round <= kRounds; ++round) {
            send(host, 0, round);
            ring(host, 0);
            if (!host.wait([&] { return host.count(kDoorbellVector) >= round; })) return 1;
            take_doorbells(host);
        }
        return 0;
    });
    for (unsigned round = 1; round <= kRounds; ++round) {
        ASSERT_TRUE(a_.wait([&] { return a_.count(kDoorbellVector) >= round; })) << "round " << round;
        ASSERT_EQ(a_.count(kMessageVector), round);
        ASSERT_EQ(take_message(a_, 0), round);
        take_doorbells(a_);
        ring(a_, 0);
    }
    EXPECT_EQ(b.join(a_), 0);
}

TEST_F(InterruptTest, OwnInterruptComesBeforeTheWriteReturns) {
    set_up_interrupts(a_, 1);
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        set_up_interrupts(host, 0);
        ring(host, 7);
        service_until_told(host);
        return 0;
    });
    ASSERT_TRUE(a_.wait([&] { return a_.count(kDoorbellVector) > 0; }));
    a_.interrupts.clear();
    // Still pending: closing and opening its mask raises it again.
    const std::uint32_t mask = 0x74000 + 0x1018;
    a_.write(mask, 0, 8);
    EXPECT_EQ(a_.count(kDoorbellVector), 0U);
    a_.write(mask, ~std::uint64_t{0}, 8);
    EXPECT_EQ(a_.count(kDoorbellVector), 1U);
}

TEST_F(InterruptTest, ArrivalOfAPeerIsALinkEvent) {
    arm_link_events(a_);
    const unsigned before = link_events(a_, 1);
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        service_until_told(host);
        return 0;
    });
    ASSERT_TRUE(a_.wait([&] { return a_.count(kEventVector) > 0; }));
    EXPECT_EQ(link_events(a_, 1), before + 1);
}

}  // namespace
}  // namespace fabric::test
