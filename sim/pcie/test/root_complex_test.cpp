// SPDX-License-Identifier: MIT
// What a host makes of its peer's and its engine's requests.
#include "pcie/root_complex.h"

#include <gtest/gtest.h>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

/// Latency of a read of `bytes` at `address` of the host's own memory by its engine, the engine's own times
/// left out.
Picoseconds device_read(Profile profile, std::uint64_t address, std::uint64_t bytes, bool uncached = false,
                        bool remote = false, RootComplexStatistics* statistics = nullptr) {
    profile.dma.start = 0;
    profile.dma.descriptor = profile.dma.completion = 0;
    Simulation simulation;
    PairOfHosts pair(profile, topology_of("name: p\nnodes: {a: {iommu: true}, b: {}}\n"
                                          "switches: {s: {nt-pairs: [[a, b]]}}\n"));
    RootComplex& root = pair.system.host(0).root;
    root.set_memory(uncached, remote);
    Picoseconds done = 0;
    pair.near().dma->start(
        {.kind = Transfer::Kind::read, .source = {pair.near().partition, address}, .bytes = bytes},
        [&](Picoseconds at) { done = at; });
    simulation.run();
    EXPECT_TRUE(pair.clean());
    if (statistics != nullptr) *statistics = root.statistics();
    return done;
}

TEST(RootComplex, MemoryThatIsColdOrFarTakesItsTime) {
    Profile profile = plain_profile();
    profile.host.uncached = nanoseconds(62);
    profile.host.remote = nanoseconds(106);
    const Picoseconds warm = device_read(profile, 0x1000, 64);
    EXPECT_EQ(device_read(profile, 0x1000, 64, true) - warm, nanoseconds(62));
    EXPECT_EQ(device_read(profile, 0x1000, 64, false, true) - warm, nanoseconds(106));
}

TEST(RootComplex, CompletionsAreSplitAtMpsOrAtEveryRcb) {
    RootComplexStatistics statistics;
    Profile profile = plain_profile();
    device_read(profile, 0x1000, 512, false, false, &statistics);
    EXPECT_EQ(statistics.completions, 2U);
    device_read(profile, 0x1040, 512, false, false, &statistics);
    EXPECT_EQ(statistics.completions, 3U);  // 192, 256 and 64 bytes
    profile.host.split_at_every_rcb = true;
    device_read(profile, 0x1000, 512, false, false, &statistics);
    EXPECT_EQ(statistics.completions, 8U);
}

TEST(RootComplex, NodesWithoutAnIommuHaveNoneWhateverTheProfileSays) {
    Profile profile = plain_profile();
    profile.host.iommu = {.entries = 64};
    Simulation simulation;
    PairOfHosts pair(profile);
    pair.near().dma->start(pair.copy(64), [](Picoseconds) {});
    simulation.run();
    EXPECT_EQ(pair.system.host(0).root.iommu().statistics().misses, 0U);
}

TEST(RootComplex, AnIommuAddsAWalkOnce) {
    Profile profile = plain_profile();
    const Picoseconds without = device_read(profile, 0x1000, 64);
    profile.host.iommu = {.entries = 64, .miss = nanoseconds(280)};
    EXPECT_EQ(device_read(profile, 0x1000, 64) - without, nanoseconds(280));
}

TEST(RootComplex, ReadsWaitForASlot) {
    Profile profile = plain_profile();
    const Picoseconds many = device_read(profile, 0, 64 << 10);
    profile.host.reads = 1;
    RootComplexStatistics statistics;
    const Picoseconds one = device_read(profile, 0, 64 << 10, false, false, &statistics);
    EXPECT_EQ(statistics.reads, 128U);
    EXPECT_GT(one, 128 * profile.host.read);
    EXPECT_GT(one, 2 * many);
    EXPECT_GT(statistics.waited_for_slot, 0U);
}

TEST(RootComplex, InterruptsAreWritesThatTakeLonger) {
    Profile profile = plain_profile();
    profile.host.interrupt = nanoseconds(2000);
    Picoseconds visible[2];
    for (const std::uint64_t address : {std::uint64_t{0x1000}, kInterruptSpace}) {
        Simulation simulation;
        PairOfHosts pair(profile);
        pair.system.host(0).cpu->start({Access::Kind::store_uncached, pair.window() + address, 4},
                                       [](Picoseconds) {});
        simulation.run();
        visible[address == kInterruptSpace] = pair.arrivals.last;
        EXPECT_EQ(pair.system.host(1).root.statistics().interrupts, address == kInterruptSpace ? 1U : 0U);
    }
    EXPECT_EQ(visible[1] - visible[0], nanoseconds(2000) - profile.host.write);
}

TEST(RootComplex, RefusesWhatCannotBe) {
    Simulation simulation;
    TlpPool pool;
    EXPECT_THROW(RootComplex("a", {.rcb = 32}, pool), std::invalid_argument);
    EXPECT_THROW(RootComplex("b", {.mps = 192, .rcb = 128}, pool), std::invalid_argument);
    EXPECT_THROW(RootComplex("c", {.reads = 0}, pool), std::invalid_argument);
    EXPECT_THROW(RootComplex("d", {.ports = 0}, pool), std::invalid_argument);
}

}  // namespace
}  // namespace ntblab::pcie
