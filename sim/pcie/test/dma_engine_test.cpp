// SPDX-License-Identifier: MIT
#include "pcie/dma_engine.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <stdexcept>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

struct Outcome {
    Picoseconds done = 0;
    Picoseconds visible = 0;
    DmaStatistics statistics;
};

Outcome run(const Profile& profile, Transfer::Kind kind, std::uint64_t bytes) {
    Simulation simulation;
    PairOfHosts pair(profile);
    Transfer transfer = pair.copy(bytes);
    transfer.kind = kind;
    Outcome outcome;
    pair.near().dma->start(transfer, [&](Picoseconds at) { outcome.done = at; });
    simulation.run();
    EXPECT_TRUE(pair.clean());
    if (kind != Transfer::Kind::read) {
        EXPECT_EQ(pair.arrivals.bytes, bytes);
    }
    outcome.visible = pair.arrivals.last;
    outcome.statistics = pair.near().dma->statistics();
    return outcome;
}

TEST(DmaEngine, CopiesEveryByteByReadsOfMrrsAndWritesOfMps) {
    const Outcome outcome = run(plain_profile(), Transfer::Kind::copy, 65536);
    EXPECT_EQ(outcome.statistics.reads, 1 + 65536U / 512);   // the descriptor
    EXPECT_EQ(outcome.statistics.writes, 65536U / 256 + 1);  // the completion entry
}

TEST(DmaEngine, SizesThatAreNoMultiples) {
    for (const std::uint64_t bytes : {1, 3, 255, 257, 513, 4095, 4097})
        run(plain_profile(), Transfer::Kind::copy, bytes);
}

// Completions of 256 bytes go where they cross 4 KiB: the checker would see it.
TEST(DmaEngine, WritesDoNotCross4KiB) {
    for (const std::uint64_t offset : {0xfc0, 0xfff, 0x001, 0x803}) {
        Simulation simulation;
        PairOfHosts pair;
        Transfer transfer = pair.copy(8192);
        transfer.target.address += offset;
        pair.near().dma->start(transfer, [](Picoseconds) {});
        simulation.run();
        EXPECT_TRUE(pair.clean()) << offset;
        EXPECT_EQ(pair.arrivals.bytes, 8192U) << offset;
    }
}

// So much is under way in the time that a read takes: see the test's own measure of that.
TEST(DmaEngine, ReadsNeedTagsTimesSizeInTheirLatency) {
    Profile profile = plain_profile();
    profile.dma.start = 0;
    profile.dma.descriptor = profile.dma.completion = 0;
    profile.dma.tags = 1;
    const double latency = static_cast<double>(run(profile, Transfer::Kind::read, 512).done);
    for (const unsigned tags : {2U, 4U, 8U}) {
        profile.dma.tags = tags;
        const Outcome outcome = run(profile, Transfer::Kind::read, 1 << 20);
        EXPECT_EQ(outcome.statistics.most_tags, tags);
        const double expected = latency * (1 << 20) / (512.0 * tags);
        EXPECT_NEAR(static_cast<double>(outcome.done), expected, 0.08 * expected) << tags;
    }
}

TEST(DmaEngine, RequestsAreTheirIntervalApart) {
    Profile profile = plain_profile();
    profile.dma.issue_interval = nanoseconds(100);
    const Picoseconds one = run(profile, Transfer::Kind::write, 256).done;
    EXPECT_EQ(run(profile, Transfer::Kind::write, 256 * 100).done - one, 99 * nanoseconds(100));
}

TEST(DmaEngine, ReadsHaveAnIntervalOfTheirOwn) {
    Profile profile = plain_profile();
    profile.dma.issue_interval = nanoseconds(100);
    profile.dma.read_interval = nanoseconds(300);
    const Picoseconds one = run(profile, Transfer::Kind::read, 512).done;
    const Picoseconds all = run(profile, Transfer::Kind::read, 512 * 20).done;
    EXPECT_NEAR(static_cast<double>(all - one), 19 * 300e3, 2e3);  // a skip ordered set may come in between
}

// 272 bytes of a write of 256, in 136 ns.
TEST(DmaEngine, TlpsWithTheirHeadersPassAtItsRate) {
    Profile profile = plain_profile();
    profile.dma.rate = 2;
    const Picoseconds one = run(profile, Transfer::Kind::write, 256).done;
    EXPECT_EQ(run(profile, Transfer::Kind::write, 256 * 100).done - one, 99 * nanoseconds(136));
    // 536 bytes of two completions, in 268 ns.
    const Picoseconds read = run(profile, Transfer::Kind::read, 512).done;
    const Picoseconds reads = run(profile, Transfer::Kind::read, 512 * 100).done;
    EXPECT_NEAR(static_cast<double>(reads - read), 99 * 268e3, 2e3);
    profile.dma.rate = 0;
    EXPECT_THROW(run(profile, Transfer::Kind::write, 256), std::invalid_argument);
}

TEST(DmaEngine, AGapIsAfterATransferNotWithinIt) {
    Profile profile = plain_profile();
    profile.dma.descriptor = profile.dma.completion = 0;
    std::array<Picoseconds, 2> done{};
    for (const Picoseconds gap : {Picoseconds{0}, nanoseconds(500)}) {
        profile.dma.gap = gap;
        Simulation simulation;
        PairOfHosts pair(profile);
        Transfer transfer = pair.copy(1024);
        transfer.kind = Transfer::Kind::write;
        for (int i = 0; i < 3; ++i)
            pair.near().dma->start(transfer, [&](Picoseconds at) { done[gap == 0 ? 0 : 1] = at; });
        simulation.run();
        EXPECT_TRUE(pair.clean());
    }
    // Without a gap, the interval is between them.
    EXPECT_EQ(done[1] - done[0], 2 * (nanoseconds(500) - profile.dma.issue_interval));
}

TEST(DmaEngine, StartAndDescriptorComeFirst) {
    Profile profile = plain_profile();
    const Picoseconds before = run(profile, Transfer::Kind::copy, 4096).visible;
    profile.dma.start += nanoseconds(5000);
    EXPECT_EQ(run(profile, Transfer::Kind::copy, 4096).visible - before, nanoseconds(5000));
    profile.dma.start -= nanoseconds(5000);
    profile.dma.descriptor = 0;
    EXPECT_LT(run(profile, Transfer::Kind::copy, 4096).visible + nanoseconds(300), before);
}

TEST(DmaEngine, InterruptsWhenAllIsThere) {
    Profile profile = plain_profile();
    profile.dma.interrupt = true;
    Simulation simulation;
    PairOfHosts pair(profile);
    Arrivals own(pair.system.host(0).root);
    pair.near().dma->start(pair.copy(4096), [](Picoseconds) {});
    simulation.run();
    EXPECT_EQ(pair.system.host(0).root.statistics().interrupts, 1U);
    EXPECT_GT(own.last, pair.arrivals.last);
}

TEST(DmaEngine, TransfersFollowEachOther) {
    Simulation simulation;
    PairOfHosts pair;
    std::vector<Picoseconds> done;
    for (int i = 0; i < 4; ++i)
        pair.near().dma->start(pair.copy(8192), [&](Picoseconds at) { done.push_back(at); });
    simulation.run();
    ASSERT_EQ(done.size(), 4U);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_EQ(pair.arrivals.bytes, 4 * 8192U);
    EXPECT_TRUE(pair.clean());
}

TEST(DmaEngine, RefusesWhatCannotBe) {
    Simulation simulation;
    TlpPool pool;
    EXPECT_THROW(DmaEngine("a", {.tags = 0}, pool), std::invalid_argument);
    EXPECT_THROW(DmaEngine("b", {.mps = 0}, pool), std::invalid_argument);
    DmaEngine engine("c", {}, pool);
    EXPECT_THROW(engine.start(Transfer{}, [](Picoseconds) {}), std::invalid_argument);
}

TEST(DmaEngine, ItsDataPathIsBusyForWhatPassesAndTheGap) {
    Profile profile = plain_profile();
    profile.dma.descriptor = 0;
    profile.dma.issue_interval = nanoseconds(20);
    profile.dma.gap = nanoseconds(50);
    profile.dma.rate = 0.1;  // 272 bytes in 2720 ns
    EXPECT_EQ(run(profile, Transfer::Kind::write, 1024).statistics.busy,
              4 * nanoseconds(2720) + nanoseconds(50));
    profile.dma.rate = std::numeric_limits<double>::infinity();
    profile.dma.gap = 0;
    EXPECT_EQ(run(profile, Transfer::Kind::write, 1024).statistics.busy, 4 * nanoseconds(20));
    profile.dma.descriptor = 32;
    profile.dma.read_interval = nanoseconds(30);
    EXPECT_EQ(run(profile, Transfer::Kind::write, 1024).statistics.busy,
              4 * nanoseconds(20) + nanoseconds(30));
}

TEST(DmaEngine, CountsTransfersThatWaitAndWhatALinkHoldsUp) {
    Profile profile = plain_profile();
    profile.dma.issue_interval = nanoseconds(1);
    profile.host_side.credits[0] = {1, 64};
    Simulation simulation;
    PairOfHosts pair(profile);
    Transfer transfer = pair.copy(64 << 10);
    transfer.kind = Transfer::Kind::write;
    for (int i = 0; i < 4; ++i) pair.near().dma->start(transfer, [](Picoseconds) {});
    simulation.run();
    const DmaStatistics& statistics = pair.near().dma->statistics();
    EXPECT_EQ(statistics.queue.bins()[0], 1U);
    EXPECT_EQ(statistics.queue.bins()[1], 1U);
    EXPECT_EQ(statistics.queue.bins()[2], 2U);
    EXPECT_GT(statistics.waited_for_link, 0U);
    EXPECT_LT(statistics.busy, pair.arrivals.last);
    EXPECT_TRUE(pair.clean());
}

}  // namespace
}  // namespace ntblab::pcie
