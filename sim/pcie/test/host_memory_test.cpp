// SPDX-License-Identifier: MIT
// What pcie-bench has published of hosts' memory (SIGCOMM 2018), at its profile: IOTLB, NUMA, cold caches. An
// engine reads 64 bytes at a time, one read after the other.
#include <gtest/gtest.h>

#include "pcie/timeline.h"
#include "system_path.h"

namespace ntblab::pcie {
namespace {

struct Reads {
    double nanoseconds = 0;    ///< A read, on average,
    std::uint64_t misses = 0;  ///< and how many missed the IOTLB,
    std::uint64_t count = 0;   ///< of so many.
};

struct Conditions {
    bool iommu = false, uncached = false, remote = false;
    std::uint64_t window = 64 << 10;  ///< Bytes, which are gone through page by page.
};

Reads read_through(Profile profile, const Conditions& conditions) {
    constexpr std::uint64_t kPage = 4096;
    profile.dma.start = 0;
    profile.dma.descriptor = profile.dma.completion = 0;
    Simulation simulation;
    PairOfHosts pair(profile, topology_of(std::string("name: p\nnodes: {a: {iommu: ") +
                                          (conditions.iommu ? "true" : "false") +
                                          "}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n"));
    Timeline timeline("timeline");
    RootComplex& root = pair.system.host(0).root;
    root.set_memory(conditions.uncached, conditions.remote);
    const std::uint64_t pages = conditions.window / kPage;
    Reads reads{.count = 2 * pages};
    std::uint64_t begun = 0, misses_before = 0;
    Picoseconds total = 0;
    const std::function<void()> next = [&] {
        if (begun == pages) misses_before = root.iommu().statistics().misses;  // the first round warms up
        if (begun == 3 * pages) return;
        const Picoseconds start = now();
        const bool counts = begun >= pages;
        const std::uint64_t address = begun++ % pages * kPage;
        pair.near().dma->start(
            {.kind = Transfer::Kind::read, .source = {pair.near().partition, address}, .bytes = 64},
            [&, start, counts](Picoseconds at) {
                if (counts) total += at - start;
                timeline.at(at, next);
            });
    };
    timeline.at(0, next);
    simulation.run();
    EXPECT_TRUE(pair.clean());
    reads.misses = root.iommu().statistics().misses - misses_before;
    reads.nanoseconds = static_cast<double>(total) / 1000 / static_cast<double>(reads.count);
    return reads;
}

Profile nfp6000() {
    return load_profile("pcie-bench-nfp6000-gen3x8", PROFILES_DIR).value();
}

TEST(Iotlb, KneeIsAtAWindowOf256KiB) {
    const double without = read_through(nfp6000(), {}).nanoseconds;  // but for skip ordered sets the same
    for (const unsigned kib : {16, 64, 128, 252, 256}) {
        const Reads reads = read_through(nfp6000(), {.iommu = true, .window = std::uint64_t{kib} << 10});
        EXPECT_EQ(reads.misses, 0U) << kib << " KiB";
        EXPECT_NEAR(reads.nanoseconds, without, 1) << kib << " KiB";
    }
    for (const unsigned kib : {260, 512, 4096}) {
        const Reads reads = read_through(nfp6000(), {.iommu = true, .window = std::uint64_t{kib} << 10});
        EXPECT_EQ(reads.misses, reads.count) << kib << " KiB";
        EXPECT_NEAR(reads.nanoseconds - without, 280, 40) << kib << " KiB";
    }
}

TEST(Memory, OfTheOtherSocketIsFurther) {
    const double own = read_through(nfp6000(), {}).nanoseconds;
    EXPECT_NEAR(read_through(nfp6000(), {.remote = true}).nanoseconds - own, 106, 20);
}

// +57 to 67 ns.
TEST(Memory, ThatIsInNoCacheIsSlower) {
    const double cached = read_through(nfp6000(), {}).nanoseconds;
    EXPECT_NEAR(read_through(nfp6000(), {.uncached = true}).nanoseconds - cached, 62, 5 + 15);
}

}  // namespace
}  // namespace ntblab::pcie
