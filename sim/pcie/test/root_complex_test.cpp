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

// A walk of the IOMMU holds up what came by the same port, as it may not be overtaken, and nothing else.
TEST(RootComplex, PortsDoNotWaitForEachOther) {
    Profile profile = plain_profile();
    profile.host.iommu = {.entries = 64, .miss = nanoseconds(100'000), .walkers = 2};
    Simulation simulation;
    System system("system",
                  topology_of("name: t\nnodes: {a: {iommu: true}, b: {}, c: {}}\n"
                              "switches: {s: {model: pfx-100xg4, nt-pairs: [[a, b], [a, c]]}}\n"),
                  profile, {.check = true});
    std::map<std::uint64_t, Picoseconds> seen;
    system.host(0).root.on_write = [&](const Tlp& tlp, Picoseconds visible) { seen[tlp.cookie] = visible; };
    const auto store = [&](std::size_t node, std::uint64_t address, std::uint64_t cookie) {
        system.host(node).cpu->start(
            {Access::Kind::store_combined, system.window(*system.endpoint(node, 0)) + address, 64, cookie},
            [](Picoseconds) {});
    };
    store(1, 0x1000, 1);  // a miss
    store(2, 0x5000, 2);  // likewise, at the same time
    store(1, 0x9000, 3);  // waits for a walker
    store(2, 0x5040, 4);  // a hit
    simulation.run();
    EXPECT_LT(seen[2], nanoseconds(110'000));
    EXPECT_GT(seen[3], nanoseconds(200'000));
    EXPECT_LT(seen[4], nanoseconds(110'000));
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

TEST(RootComplex, CountsReadsThatWaitAndIsBusyWithWhatComes) {
    Profile profile = plain_profile();
    profile.host.reads = 1;
    profile.host.read = nanoseconds(1000);
    profile.dma.descriptor = profile.dma.completion = 0;
    Simulation simulation;
    PairOfHosts pair(profile);
    Transfer transfer = pair.copy(2048);  // four reads of 512
    transfer.kind = Transfer::Kind::read;
    pair.near().dma->start(transfer, [](Picoseconds) {});
    simulation.run();
    RootComplex& root = pair.system.host(0).root;
    EXPECT_EQ(root.statistics().queue.bins()[0], 1U);
    EXPECT_EQ(root.statistics().queue.bins()[1], 1U);
    EXPECT_EQ(root.statistics().queue.bins()[2], 2U);
    EXPECT_EQ(root.busy(0), profile.host.ingress + 4 * nanoseconds(1000));
    EXPECT_EQ(pair.system.host(1).root.busy(0), 0U);
}

}  // namespace
}  // namespace ntblab::pcie
