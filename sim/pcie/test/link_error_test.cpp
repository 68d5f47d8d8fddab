// SPDX-License-Identifier: MIT
// Bit errors: what is corrupted is sent again, in order, and all else goes on.
#include <gtest/gtest.h>

#include <cmath>

#include "path.h"

namespace ntblab::pcie {
namespace {

LinkConfig noisy(double rate) {
    LinkConfig config = plain_link(4, 16);
    config.bit_error_rate = rate;
    config.propagation = nanoseconds(50);
    config.sides[0].replay_buffer = 1 << 20;
    return config;
}

TEST(LinkErrors, EveryTlpArrivesOnceAndInOrder) {
    for (const double rate : {1e-6, 1e-5, 1e-4}) {
        Simulation simulation;
        Path path(noisy(rate), 20'000, 256);
        std::uint64_t last = 0;
        bool in_order = true;
        path.sink.look = [&](const Tlp& tlp) {
            in_order = in_order && tlp.serial == last + 1;
            last = tlp.serial;
        };
        simulation.run();
        const LinkStatistics& sent = path.link.statistics(0);
        EXPECT_EQ(path.sink.tlps, 20'000U) << rate;
        EXPECT_TRUE(in_order) << rate;
        EXPECT_GT(sent.replayed, 0U) << rate;
        EXPECT_EQ(sent.delivered, sent.tlps);
        EXPECT_EQ(sent.delivered_bytes, sent.tlp_bytes);
        EXPECT_EQ(path.pool.in_use(), 0U);
        EXPECT_TRUE(path.link.at_rest(0) && path.link.at_rest(1)) << rate;
    }
}

TEST(LinkErrors, RareOnesCostNothing) {
    Simulation simulation;
    Path path(noisy(1e-12), 20'000, 256);
    simulation.run();
    EXPECT_EQ(path.link.statistics(0).corrupted, 0U);
}

// Each error costs what is sent until its NAK has come, again: go-back-N, efficiency (1 - p) / (1 - p + p W),
// with W TLPs in the time from the end of the one that was hit to the first that is sent again
// (docs/model.md).
TEST(LinkErrors, CostWhatGoBackNSays) {
    for (const double rate : {1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
        Simulation simulation;
        Path path(noisy(rate), 200'000, 256);
        simulation.run();
        const double tlp = 280 * 8 / 252.062;  // ns
        const double p = 1 - std::pow(1 - rate, 280 * 8);
        const double window = (2 * 50 + 0.25) / tlp + 1.5;  // there and back, the NAK, half a TLP on average
        const double expected = 252.062 * (1 - 16.0 / 6000) * 256 / 280 * (1 - p) / (1 - p + p * window);
        EXPECT_NEAR(path.gigabits(), expected, (rate > 1e-6 ? 0.04 : 0.004) * expected) << rate;
    }
}

TEST(LinkErrors, TheSameSeedHasTheSameOnes) {
    Picoseconds ends[3];
    std::uint64_t seed = 7;
    for (Picoseconds& end : ends) {
        Simulation simulation;
        LinkConfig config = noisy(1e-5);
        config.seed = &end == &ends[2] ? 8 : seed;
        Path path(config, 10'000, 256);
        simulation.run();
        end = path.sink.last;
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_NE(ends[0], ends[2]);
}

}  // namespace
}  // namespace ntblab::pcie
