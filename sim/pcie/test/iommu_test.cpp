// SPDX-License-Identifier: MIT
#include "pcie/iommu.h"

#include <gtest/gtest.h>

namespace ntblab::pcie {
namespace {

TEST(Iommu, WithoutEntriesTakesNoTime) {
    Iommu iommu({.entries = 0});
    EXPECT_EQ(iommu.translate(0x1234, 1000), 1000U);
}

TEST(Iommu, AMissTakesAWalkAndTheNextAccessNone) {
    Iommu iommu({.entries = 4, .miss = 280});
    EXPECT_EQ(iommu.translate(0x1000, 1000), 1280U);
    EXPECT_EQ(iommu.translate(0x1fff, 2000), 2000U);
    EXPECT_EQ(iommu.statistics().misses, 1U);
    EXPECT_EQ(iommu.statistics().hits, 1U);
}

TEST(Iommu, WhoComesDuringTheWalkWaitsForItsEnd) {
    Iommu iommu({.entries = 4, .miss = 280});
    iommu.translate(0x1000, 1000);
    EXPECT_EQ(iommu.translate(0x1008, 1100), 1280U);
}

// The knee of pcie-bench: as many pages as there are entries hit, one more and the oldest never does.
TEST(Iommu, LeastRecentlyUsedPagesGo) {
    for (const unsigned pages : {64U, 65U}) {
        Iommu iommu({.entries = 64, .miss = 280});
        Picoseconds at = 0;
        for (int round = 0; round < 3; ++round)
            for (unsigned page = 0; page < pages; ++page) iommu.translate(page * 4096ULL, at += 1000);
        EXPECT_EQ(iommu.statistics().misses, pages == 64 ? 64U : 3 * 65U);
    }
}

TEST(Iommu, WalksWaitForAWalker) {
    Iommu iommu({.entries = 64, .miss = 280, .walkers = 2});
    EXPECT_EQ(iommu.translate(0x0000, 0), 280U);
    EXPECT_EQ(iommu.translate(0x1000, 0), 280U);
    EXPECT_EQ(iommu.translate(0x2000, 0), 560U);
    EXPECT_EQ(iommu.statistics().waited, 280U);
}

TEST(Iommu, RefusesWhatCannotBe) {
    EXPECT_THROW(Iommu({.walkers = 0}), std::invalid_argument);
    EXPECT_THROW(Iommu({.page = 5000}), std::invalid_argument);
}

TEST(Iommu, CountsWalksThatWaitAndForHowLongAnyIsUnderWay) {
    Iommu iommu({.entries = 64, .miss = nanoseconds(100), .walkers = 1});
    for (std::uint64_t page = 0; page < 3; ++page) iommu.translate(page * 4096, 0);
    iommu.translate(3 * 4096, nanoseconds(1000));
    EXPECT_EQ(iommu.statistics().busy.total(), nanoseconds(400));
    EXPECT_EQ(iommu.statistics().queue.bins()[0], 2U);
    EXPECT_EQ(iommu.statistics().queue.bins()[1], 1U);
    EXPECT_EQ(iommu.statistics().queue.bins()[2], 1U);
}

}  // namespace
}  // namespace ntblab::pcie
