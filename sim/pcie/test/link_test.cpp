// SPDX-License-Identifier: MIT
// Timing, flow control and acknowledgements of a link.
#include "pcie/link.h"

#include <gtest/gtest.h>

#include "path.h"

namespace ntblab::pcie {
namespace {

TEST(LinkTiming, OneTlpTakesItsBytesAndTheWay) {
    Simulation simulation;
    LinkConfig config = plain_link(3, 8);
    config.propagation = nanoseconds(10);
    config.sides[0].transmit_delay = nanoseconds(20);
    config.sides[1].receive_delay = nanoseconds(30);
    Path path(config, 1, 256);
    simulation.run();
    // 280 bytes of 126.953125 ps.
    EXPECT_EQ(path.sink.first, nanoseconds(60) + 35547);
    EXPECT_TRUE(path.link.at_rest(0) && path.link.at_rest(1));
    EXPECT_EQ(path.pool.in_use(), 0U);
}

TEST(LinkTiming, TheFirstByteArrivesBeforeTheLast) {
    Simulation simulation;
    Path path(plain_link(3, 8), 1, 256);
    Picoseconds head = kNever;
    path.sink.look = [&](const Tlp& tlp) { head = tlp.head; };
    simulation.run();
    EXPECT_EQ(head, 0U);
}

// The wire is never idle: 280 bytes each, and skip ordered sets.
TEST(LinkTiming, SaturatedLinksHaveTheirRate) {
    for (const auto& [generation, lanes, rate] :
         {std::tuple{3U, 8U, 63.015}, {4U, 16U, 252.062}, {5U, 16U, 504.123}}) {
        Simulation simulation;
        Path path(plain_link(generation, lanes), 20'000, 256);
        simulation.run();
        EXPECT_NEAR(path.gigabits(), rate * (1 - 16.0 / 6000) * 256 / 280, rate * 2e-4) << generation;
    }
}

TEST(LinkTiming, HalfTheWidthIsHalfTheRateAndNearlyTheSameLatency) {
    double rate[2];
    Picoseconds latency[2];
    for (const unsigned lanes : {8U, 16U}) {
        Simulation simulation;
        LinkConfig config = plain_link(4, lanes);
        config.propagation = nanoseconds(200);
        Path path(config, 10'000, 256);
        path.source.make = [](Tlp& tlp, std::uint64_t number) { tlp.length = number == 0 ? 4 : 256; };
        simulation.run();
        rate[lanes / 16] = path.gigabits();
        latency[lanes / 16] = path.sink.first;
    }
    EXPECT_NEAR(rate[1] / rate[0], 2, 0.02);
    EXPECT_LT(latency[0] - latency[1], nanoseconds(2));
}

TEST(LinkTiming, LatencyIsLinearInTheLengthOfTheCable) {
    std::vector<Picoseconds> arrivals;
    for (const unsigned metres : {0U, 1U, 2U, 50U}) {
        Simulation simulation;
        LinkConfig config = plain_link();
        config.propagation = metres * nanoseconds(5);
        Path path(config, 1, 64);
        simulation.run();
        arrivals.push_back(path.sink.first);
    }
    EXPECT_EQ(arrivals[1] - arrivals[0], nanoseconds(5));
    EXPECT_EQ(arrivals[2] - arrivals[0], nanoseconds(10));
    EXPECT_EQ(arrivals[3] - arrivals[0], nanoseconds(250));
}

// 236 bytes of TLPs in 256; a TLP is there with the end of its FLIT.
TEST(LinkTiming, Flits) {
    Simulation simulation;
    Path path(plain_link(6, 16), 20'000, 512);
    simulation.run();
    EXPECT_NEAR(path.gigabits(), 944.0 * 512 / 528, 1);
    EXPECT_EQ(path.sink.first, 3 * nanoseconds(2));
    EXPECT_EQ(path.link.statistics(0).skips, 0U);
}

// Credits for so many TLPs, each of which is back when it has gone, has been taken and its UpdateFC has come.
TEST(LinkCredits, TooFewCapTheRateAtCreditsByRoundTrip) {
    for (const std::uint32_t headers : {4U, 8U, 16U}) {
        Simulation simulation;
        LinkConfig config = plain_link();
        config.propagation = nanoseconds(300);
        config.sides[1].credits[index_of(FlowClass::posted)].header = headers;
        Path path(config, 5'000, 256, nanoseconds(200));
        simulation.run();
        // TLP 8.9 ns, there and back 600 ns, in the buffer 200 ns.
        const double most = headers * 256 * 8 / 808.9;
        EXPECT_NEAR(path.gigabits(), most, 0.01 * most) << headers;
        EXPECT_GT(path.link.statistics(0).stalls.span(StallCause::posted_header), path.sink.last / 2);
    }
}

TEST(LinkCredits, DataCreditsCapTooAndAreToldApart) {
    Simulation simulation;
    LinkConfig config = plain_link();
    config.propagation = nanoseconds(300);
    config.sides[1].credits[index_of(FlowClass::posted)].data = 64;
    Path path(config, 5'000, 256, nanoseconds(200));
    simulation.run();
    EXPECT_NEAR(path.gigabits(), 4 * 256 * 8 / 808.9, 0.2);
    EXPECT_EQ(path.link.statistics(0).stalls.span(StallCause::posted_header), 0U);
    EXPECT_GT(path.link.statistics(0).stalls.span(StallCause::posted_data), path.sink.last / 2);
}

TEST(LinkCredits, InfiniteOnesNeedNoUpdates) {
    Simulation simulation;
    LinkConfig config = plain_link();
    config.sides[1].credits = CreditLimits{};
    Path path(config, 1'000, 256, nanoseconds(10'000));
    simulation.run();
    EXPECT_EQ(path.sink.tlps, 1'000U);
    EXPECT_EQ(path.link.statistics(1).credit_updates, 0U);
    EXPECT_TRUE(path.link.at_rest(0));
}

TEST(LinkReplayBuffer, HoldsUpWhatItHasNoRoomFor) {
    Simulation simulation;
    LinkConfig config = plain_link();
    config.propagation = nanoseconds(1000);
    config.sides[0].replay_buffer = 8 * 280;
    config.sides[1].credits = CreditLimits{};
    Path path(config, 2'000, 256);
    simulation.run();
    // 2000 ns there and back, and an ACK may be late by 84 ns.
    EXPECT_LT(path.gigabits(), 8 * 256 * 8 / 2000.0);
    EXPECT_GT(path.link.statistics(0).stalls.span(StallCause::replay_buffer), path.sink.last / 2);
}

// One ACK and UpdateFC within the time that they may take; they are on the other direction's wire.
TEST(LinkDllps, AreCollected) {
    Simulation simulation;
    Path path(plain_link(3, 8), 20'000, 256);
    simulation.run();
    const LinkStatistics& back = path.link.statistics(1);
    const double limit = 203 * 8 * 126.953125;
    const double most = static_cast<double>(path.sink.last) / limit + 2;
    EXPECT_LE(static_cast<double>(back.acknowledgements), most);
    EXPECT_GT(static_cast<double>(back.acknowledgements), 0.8 * most);
    EXPECT_GT(back.credit_updates, 0U);
    EXPECT_EQ(back.tlps, 0U);
    EXPECT_EQ(back.busy,
              ((back.acknowledgements + back.credit_updates) * kDllpBytes + back.skips * 16 * 8) * 130'000);
}

TEST(LinkConfiguration, RefusesWhatCannotWork) {
    Simulation simulation;
    LinkConfig config = plain_link();
    config.sides[0].credits[0].header = 0;
    EXPECT_THROW(Link("a", config), std::invalid_argument);
    config = plain_link();
    config.sides[1].credits[0].data = 15;  // less than an MPS of 256
    EXPECT_THROW(Link("b", config), std::invalid_argument);
    config = plain_link();
    config.sides[0].replay_buffer = 100;
    EXPECT_THROW(Link("c", config), std::invalid_argument);
    config = plain_link();
    config.bit_error_rate = 1;
    EXPECT_THROW(Link("d", config), std::invalid_argument);
    config = plain_link();
    config.sides[1].max_payload = 128;
    EXPECT_THROW(Link("e", config), std::invalid_argument);
}

}  // namespace
}  // namespace ntblab::pcie
