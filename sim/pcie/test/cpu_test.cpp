// SPDX-License-Identifier: MIT
// Stores and loads of a CPU, by what its peer sees.
#include "pcie/cpu.h"

#include <gtest/gtest.h>

#include "pcie/timeline.h"
#include "system_path.h"

namespace ntblab::pcie {
namespace {

struct Outcome {
    Picoseconds done = 0;     ///< At the CPU.
    Picoseconds visible = 0;  ///< The last byte, at the peer.
    std::uint64_t tlps = 0;
};

Outcome access(const Profile& profile, Access::Kind kind, std::uint64_t bytes, std::uint64_t offset = 0) {
    Simulation simulation;
    PairOfHosts pair(profile);
    Outcome outcome;
    pair.system.host(0).cpu->start({kind, pair.window() + offset, bytes},
                                   [&](Picoseconds at) { outcome.done = at; });
    simulation.run();
    EXPECT_TRUE(pair.clean());
    outcome.visible = pair.arrivals.last;
    outcome.tlps = pair.system.host(0).cpu->statistics().tlps;
    return outcome;
}

TEST(Cpu, CombinedStoresLeaveByLines) {
    EXPECT_EQ(access(plain_profile(), Access::Kind::store_combined, 256).tlps, 4U);
    EXPECT_EQ(access(plain_profile(), Access::Kind::store_combined, 256, 32).tlps, 5U);
    EXPECT_EQ(access(plain_profile(), Access::Kind::store_combined, 4).tlps, 1U);
}

TEST(Cpu, UncachedStoresAreARegisterEach) {
    EXPECT_EQ(access(plain_profile(), Access::Kind::store_uncached, 64).tlps, 8U);
}

TEST(Cpu, LinesAreTheirIntervalApartAndAFenceEndsThem) {
    Profile profile = plain_profile();
    profile.cpu.line_interval = nanoseconds(100);
    profile.cpu.fence = nanoseconds(7);
    EXPECT_EQ(access(profile, Access::Kind::store_combined, 64).done, nanoseconds(7));
    EXPECT_EQ(access(profile, Access::Kind::store_combined, 640).done, nanoseconds(907));
}

// A link that is slower than the CPU: its buffers fill, and the CPU goes at the link's pace.
TEST(Cpu, WaitsForBuffers) {
    Profile profile = plain_profile();
    profile.cpu.line_interval = nanoseconds(1);
    Simulation simulation;
    PairOfHosts pair(profile,
                     topology_of("name: p\nnodes: {a: {}, b: {}}\n"
                                 "switches: {s: {link: {generation: 1, width: x1}, nt-pairs: [[a, b]]}}\n"));
    Picoseconds done = 0;
    pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), 64 * 1000},
                                   [&](Picoseconds at) { done = at; });
    simulation.run();
    // 88 bytes of 4 ns each.
    EXPECT_NEAR(static_cast<double>(done), 1000 * 352e3, 10 * 352e3);
    EXPECT_GT(pair.system.host(0).cpu->statistics().waited_for_buffer, done / 2);
    EXPECT_TRUE(pair.clean());
}

TEST(Cpu, LoadsWaitForEachOther) {
    Profile profile = plain_profile();
    const Outcome one = access(profile, Access::Kind::load, 8);
    const Outcome four = access(profile, Access::Kind::load, 32);
    EXPECT_EQ(four.tlps, 4U);
    EXPECT_NEAR(static_cast<double>(four.done), 4.0 * static_cast<double>(one.done), 1e3);
}

TEST(Cpu, AccessesFollowEachOther) {
    Simulation simulation;
    PairOfHosts pair;
    std::vector<Picoseconds> done;
    for (int i = 0; i < 3; ++i)
        pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), 64},
                                       [&](Picoseconds at) { done.push_back(at); });
    simulation.run();
    ASSERT_EQ(done.size(), 3U);
    EXPECT_EQ(done[1], 2 * done[0]);
    EXPECT_EQ(done[2], 3 * done[0]);
}

TEST(Cpu, IsBusyFromAnAccessUntilItGoesOnAndCountsWhatWaits) {
    Profile profile = plain_profile();
    profile.cpu.line_interval = nanoseconds(100);
    profile.cpu.fence = nanoseconds(7);
    Simulation simulation;
    PairOfHosts pair(profile);
    Timeline timeline("timeline");
    Cpu& cpu = *pair.system.host(0).cpu;
    const auto store = [&] {
        cpu.start({Access::Kind::store_combined, pair.window(), 128}, [](Picoseconds) {});
    };
    store();
    store();
    store();
    timeline.at(nanoseconds(5000), store);
    simulation.run();
    // 100 ns between the two lines, 7 ns of a fence; three without a gap between them, and one later.
    EXPECT_EQ(cpu.statistics().busy.total(), 4 * nanoseconds(107));
    EXPECT_EQ(cpu.statistics().queue.bins()[0], 2U);  // the first, and the one at 5 us
    EXPECT_EQ(cpu.statistics().queue.bins()[1], 1U);
    EXPECT_EQ(cpu.statistics().queue.bins()[2], 1U);
}

TEST(Cpu, IsBusyAsLongAsALoadIsUnderWay) {
    Simulation simulation;
    PairOfHosts pair(plain_profile());
    Cpu& cpu = *pair.system.host(0).cpu;
    Picoseconds done = 0;
    cpu.start({Access::Kind::load, pair.window(), 64}, [&](Picoseconds at) { done = at; });
    simulation.run();
    EXPECT_EQ(cpu.statistics().busy.total(), done);
}

}  // namespace
}  // namespace ntblab::pcie
