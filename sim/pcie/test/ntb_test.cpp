// SPDX-License-Identifier: MIT
// Address and requester ID translation, between two hosts.
#include "pcie/ntb.h"

#include <gtest/gtest.h>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

TEST(Ntb, WritesArriveAtTheTranslatedAddressWithAProxyId) {
    Simulation simulation;
    PairOfHosts pair;
    pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window() + 0x5000, 64},
                                   [](Picoseconds) {});
    simulation.run();
    EXPECT_EQ(pair.arrivals.address, 0x5000U);
    EXPECT_EQ(pair.arrivals.requester, Ntb::proxy(0, 0));
    EXPECT_EQ(pair.near().ntb->statistics().translated, 1U);
    EXPECT_TRUE(pair.clean());
}

TEST(Ntb, ReadsAreAnsweredToWhoAsked) {
    Simulation simulation;
    PairOfHosts pair;
    Picoseconds done = 0;
    pair.system.host(1).cpu->start({Access::Kind::load, pair.system.window(*pair.system.endpoint(1, 0)), 32},
                                   [&](Picoseconds at) { done = at; });
    simulation.run();
    EXPECT_GT(done, nanoseconds(500));
    EXPECT_EQ(pair.system.host(0).root.statistics().read, 32U);
    EXPECT_TRUE(pair.clean());
}

/// An NTB alone, with a host and a fabric that only count.
struct Alone : sc_core::sc_module, private TlpSender, private TlpReceiver {
    Alone(sc_core::sc_module_name name, const NtbConfig& config) : sc_module(name), ntb("ntb", config, pool) {
        host.bind(ntb.from_host());
        ntb.to_host().bind(host_in);
        fabric.bind(ntb.from_fabric());
        ntb.to_fabric().bind(fabric_in);
    }
    Tlp& send(TlpType type, std::uint64_t address, std::uint16_t requester) {
        Tlp& tlp = pool.make(type);
        tlp.address = address;
        tlp.requester = requester;
        tlp.length = 4;
        tlp.tag = 9;
        host.send(tlp);
        return tlp;
    }

    TlpPool pool;
    Ntb ntb;
    TlpInitiator host{"host", *this, 0}, fabric{"fabric", *this, 1};
    TlpTarget host_in{"host_in", *this, 0}, fabric_in{"fabric_in", *this, 1};
    std::vector<Tlp> at_host, at_fabric;
    unsigned released_count = 0;

  private:
    void receive(unsigned port, Tlp& tlp) override { (port == 0 ? at_host : at_fabric).push_back(tlp); }
    void released(unsigned, Tlp&, Picoseconds) override { ++released_count; }
};

const NtbConfig kTwoWindows{.partition = 3,
                            .windows = {{0x1000, 0x1000, 5, 0x80000000}, {0x8000, 0x100, 6, 0}},
                            .requester_ids = 2,
                            .translation = 70};

TEST(Ntb, EachWindowHasItsPeerAndTarget) {
    Simulation simulation;
    Alone alone("alone", kTwoWindows);
    alone.send(TlpType::memory_write, 0x1ffc, 0);
    alone.send(TlpType::memory_write, 0x80fc, 0);
    ASSERT_EQ(alone.at_fabric.size(), 2U);
    EXPECT_EQ(alone.at_fabric[0].address, 0x80000ffcU);
    EXPECT_EQ(alone.at_fabric[0].partition, 5);
    EXPECT_EQ(alone.at_fabric[1].address, 0xfcU);
    EXPECT_EQ(alone.at_fabric[1].partition, 6);
    EXPECT_EQ(alone.at_fabric[1].tail, 70U);
}

TEST(Ntb, WhatHitsNoWindowIsUnsupported) {
    Simulation simulation;
    Alone alone("alone", kTwoWindows);
    alone.send(TlpType::memory_write, 0x2000, 0);
    alone.send(TlpType::memory_read, 0x8100, 7);
    EXPECT_TRUE(alone.at_fabric.empty());
    EXPECT_EQ(alone.ntb.statistics().unsupported, 2U);
    EXPECT_EQ(alone.released_count, 2U);
    ASSERT_EQ(alone.at_host.size(), 1U);  // nobody hears of a write
    EXPECT_TRUE(alone.at_host[0].unsupported);
    EXPECT_EQ(alone.at_host[0].requester, 7);
    EXPECT_EQ(alone.at_host[0].tag, 9);
    EXPECT_EQ(alone.at_host[0].remaining, 4U);
}

TEST(Ntb, AnObserverHearsWhatBecomesOfARefusedRead) {
    struct : Observer {
        void spent(const sc_core::sc_module&, const Tlp& tlp, Part part, Picoseconds begin,
                   Picoseconds end) override {
            if (tlp.type == TlpType::completion && part == Part::translation) span += end - begin;
        }
        void ended(const sc_core::sc_module&, const Tlp& tlp, Picoseconds) override { last = tlp.serial; }
        Picoseconds span = 0;
        std::uint64_t last = 0;
    } seen;
    Simulation simulation;
    Alone alone("alone", kTwoWindows);
    alone.ntb.observe(&seen);
    alone.send(TlpType::memory_read, 0x8100, 7);
    ASSERT_EQ(alone.at_host.size(), 1U);
    EXPECT_EQ(seen.span, 70U);
    EXPECT_EQ(seen.last, alone.at_host[0].cause);
}

TEST(Ntb, RequesterIdsAreAsManyAsTheTableHas) {
    Simulation simulation;
    Alone alone("alone", kTwoWindows);
    for (const std::uint16_t requester : {10, 11, 10, 12})
        alone.send(TlpType::memory_write, 0x1000, requester);
    ASSERT_EQ(alone.at_fabric.size(), 3U);
    EXPECT_EQ(alone.at_fabric[0].requester, Ntb::proxy(3, 0));
    EXPECT_EQ(alone.at_fabric[1].requester, Ntb::proxy(3, 1));
    EXPECT_EQ(alone.at_fabric[2].requester, Ntb::proxy(3, 0));
    EXPECT_EQ(alone.ntb.statistics().unsupported, 1U);
}

TEST(Ntb, CountsWhatPassesEachWay) {
    Profile profile = plain_profile();
    profile.ntb.translation = nanoseconds(25);
    profile.cpu.line_interval = nanoseconds(100);
    Simulation simulation;
    PairOfHosts pair(profile);
    pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), 640}, [](Picoseconds) {});
    simulation.run();
    const NtbStatistics& near = pair.near().ntb->statistics();
    EXPECT_EQ(near.from_host.tlps, 10U);
    EXPECT_EQ(near.from_host.payload_bytes, 640U);
    EXPECT_EQ(near.from_fabric.tlps, 0U);
    EXPECT_EQ(near.from_fabric.busy.total(), 0U);
    // Each passes in the time of its bytes and the translation; the CPU has longer pauses between them.
    const Encoding encoding(4, 16);
    Tlp line;
    line.length = 64;
    const Picoseconds wire = to_picoseconds(encoding.ticks(encoding.tlp_bytes(line)));
    EXPECT_NEAR(static_cast<double>(near.from_host.busy.total()),
                10.0 * static_cast<double>(wire + nanoseconds(25)), 20);
    std::uint64_t seen = 0;
    for (const std::uint64_t count : near.from_host.queue.bins()) seen += count;
    EXPECT_EQ(seen, 10U);
}

// Behind a link without credits for more than one.
TEST(Ntb, SeesWhatWaitsBehindIt) {
    Profile profile = plain_profile();
    profile.fabric_side.credits[0].header = kInfiniteCredits;
    profile.host_side.credits[0] = {1, 64};
    Simulation simulation;
    PairOfHosts pair(profile);
    pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), 64 * 100},
                                   [](Picoseconds) {});
    simulation.run();
    const Histogram& queue = pair.near().ntb->statistics().from_host.queue;
    EXPECT_GT(queue.bins()[4] + queue.bins()[5] + queue.bins()[6] + queue.bins()[7], 0U);
    EXPECT_TRUE(pair.clean());
}

}  // namespace
}  // namespace ntblab::pcie
