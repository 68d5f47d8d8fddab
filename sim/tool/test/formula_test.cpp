// SPDX-License-Identifier: MIT
#include "formula.h"

#include <gtest/gtest.h>

namespace ntblab::sim {
namespace {

TEST(Formula, WireCostOfTlps) {
    EXPECT_EQ(wire_cost(pcie::TlpType::memory_write), 24U);
    EXPECT_EQ(wire_cost(pcie::TlpType::memory_read), 24U);
    EXPECT_EQ(wire_cost(pcie::TlpType::completion), 20U);
}

struct Curve {
    std::uint64_t size;
    double write, read, both;
};

class PublishedCurve : public testing::TestWithParam<Curve> {};

// pcie-model's output for Gen3 x8, MPS 256, MRRS 512.
TEST_P(PublishedCurve, IsPcieModels) {
    const Formula link{.generation = 3, .lanes = 8};
    EXPECT_NEAR(link.write_gigabits(GetParam().size), GetParam().write, 0.0051);
    EXPECT_NEAR(link.read_gigabits(GetParam().size), GetParam().read, 0.0051);
    EXPECT_NEAR(link.both_gigabits(GetParam().size), GetParam().both, 0.0051);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedCurve,
                         testing::Values(Curve{4, 8.27, 9.65, 4.45}, Curve{8, 14.47, 16.54, 8.27},
                                         Curve{16, 23.15, 25.73, 14.47}, Curve{32, 33.08, 35.62, 23.15},
                                         Curve{64, 42.10, 44.10, 33.08}, Curve{128, 48.75, 50.06, 42.10},
                                         Curve{192, 51.45, 52.42, 46.31}, Curve{256, 52.92, 53.69, 48.75},
                                         Curve{257, 48.78, 50.09, 45.22}, Curve{320, 50.33, 51.45, 47.25},
                                         Curve{512, 52.92, 53.69, 50.75}, Curve{513, 50.76, 51.82, 46.91},
                                         Curve{768, 52.92, 53.69, 50.06}, Curve{1280, 52.92, 53.69, 50.33},
                                         Curve{1500, 52.81, 53.60, 50.60}));

struct Widths {
    unsigned generation, lanes, mps;
    double tlps, write, read;
};

class PublishedLinks : public testing::TestWithParam<Widths> {};

TEST_P(PublishedLinks, ArePcieModels) {
    const Widths& one = GetParam();
    const Formula link{.generation = one.generation, .lanes = one.lanes, .mps = one.mps};
    EXPECT_NEAR(link.tlp_gigabits(), one.tlps, 0.0051);
    EXPECT_NEAR(link.write_gigabits(4096), one.write, 0.0051);
    EXPECT_NEAR(link.read_gigabits(4096), one.read, 0.0051);
}

INSTANTIATE_TEST_SUITE_P(
    All, PublishedLinks,
    testing::Values(Widths{2, 8, 128, 27.58, 23.22, 23.85}, Widths{3, 4, 256, 29.07, 26.58, 26.96},
                    Widths{3, 8, 256, 57.885, 52.92, 53.69}, Widths{3, 16, 512, 114.62, 109.49, 110.31},
                    Widths{4, 16, 256, 227.40, 207.91, 210.92}, Widths{5, 16, 512, 458.49, 437.96, 441.26}));

TEST(Formula, CompletionsOfOneRcbAreFlat) {
    const Formula link{.generation = 3, .lanes = 8, .split_at_every_rcb = true};
    for (const std::uint64_t size : {64, 128, 256, 1024})
        EXPECT_NEAR(link.read_gigabits(size), 44.10, 0.0051);
}

}  // namespace
}  // namespace ntblab::sim
