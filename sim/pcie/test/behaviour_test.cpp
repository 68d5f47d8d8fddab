// SPDX-License-Identifier: MIT
// What an engineer expects of two hosts and what is between them, at whole systems: length of cables, width
// of links, payload size, credits, shares of a port, hops and retimers.
#include <gtest/gtest.h>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

topology::Topology pair_with(const std::string& link) {
    return topology_of("name: p\nnodes: {a: {}, b: {}}\nswitches: {s: {model: pfx-100xg5, link: {" + link +
                       "}, nt-pairs: [[a, b]]}}\n");
}

/// When the peer sees the last of what a CPU stores.
Picoseconds store_latency(const Profile& profile, const topology::Topology& topology, std::uint64_t bytes) {
    Simulation simulation;
    PairOfHosts pair(profile, topology);
    pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), bytes}, [](Picoseconds) {});
    simulation.run();
    EXPECT_TRUE(pair.clean());
    return pair.arrivals.last;
}

/// When the last of so many transfers, which begin together, is visible, or read.
Picoseconds transfers_end(Profile profile, const topology::Topology& topology, Transfer::Kind kind,
                          std::uint64_t bytes, unsigned count) {
    profile.dma.start = 0;
    profile.dma.descriptor = profile.dma.completion = 0;
    Simulation simulation;
    PairOfHosts pair(profile, topology);
    Picoseconds done = 0;
    for (unsigned i = 0; i < count; ++i) {
        Transfer transfer = pair.copy(bytes);
        transfer.kind = kind;
        pair.near().dma->start(transfer, [&](Picoseconds at) { done = at; });
    }
    simulation.run();
    EXPECT_TRUE(pair.clean());
    return kind == Transfer::Kind::read ? done : pair.arrivals.last;
}

/// Gb/s of payload, from so many more transfers.
double rate(const Profile& profile, const topology::Topology& topology, Transfer::Kind kind,
            std::uint64_t bytes, unsigned count) {
    const Picoseconds few = transfers_end(profile, topology, kind, bytes, count);
    const Picoseconds many = transfers_end(profile, topology, kind, bytes, 3 * count);
    return 8000.0 * 2 * static_cast<double>(bytes * count) / static_cast<double>(many - few);
}

TEST(Cables, LatencyIsLinearInTheirLength) {
    Profile profile = plain_profile();
    profile.fabric = Profile::Fabric::adapters;
    profile.cable.metres = 0;
    const Picoseconds none = store_latency(profile, pair_of_hosts(), 4);
    for (const unsigned metres : {1, 2, 10, 50}) {
        profile.cable.metres = metres;
        EXPECT_EQ(store_latency(profile, pair_of_hosts(), 4) - none, metres * nanoseconds(5)) << metres;
    }
}

TEST(Cables, AHostsLinkIsPassedAtEachEnd) {
    Profile profile = plain_profile();
    profile.host_medium.metres = 0;
    const Picoseconds none = store_latency(profile, pair_of_hosts(), 4);
    profile.host_medium.metres = 3;
    EXPECT_EQ(store_latency(profile, pair_of_hosts(), 4) - none, 2 * 3 * nanoseconds(5));
}

// Vendors: less than 10 ns at Gen5.
TEST(Cables, ARetimerIsWithinItsBound) {
    const auto topology = pair_with("generation: 5");
    for (const char* name : {"generic", "switchtec-gen5x16"}) {
        Profile profile = load_profile(name, PROFILES_DIR).value();
        profile.host_medium.retimers = 0;
        const Picoseconds none = store_latency(profile, topology, 4);
        profile.host_medium.retimers = 1;
        const Picoseconds one = (store_latency(profile, topology, 4) - none) / 2;
        EXPECT_GT(one, 0U) << name;
        EXPECT_LE(one, nanoseconds(10)) << name;
    }
}

TEST(Width, HalfOfItIsHalfTheRateOfLargeTransfersAndTheSameLatencyOfSmallStores) {
    Profile profile = plain_profile();
    profile.dma.tags = 256;
    const auto wide = pair_with("width: x16"), narrow = pair_with("width: x8");
    const double ratio = rate(profile, wide, Transfer::Kind::copy, 1 << 20, 2) /
                         rate(profile, narrow, Transfer::Kind::copy, 1 << 20, 2);
    EXPECT_NEAR(ratio, 2, 0.02);
    const auto of_wide = static_cast<double>(store_latency(profile, wide, 4));
    EXPECT_NEAR(static_cast<double>(store_latency(profile, narrow, 4)) / of_wide, 1, 0.01);
}

// Each TLP of a write has 24 bytes more on the wire; one byte beyond an MPS is a TLP more.
TEST(PayloadSize, RatesHaveSawTeethAtItsMultiples) {
    const auto topology = pair_with("generation: 3, width: x8");
    const double wire = Encoding(3, 8).gigabits() * (1 - 16.0 / 6000);
    for (const unsigned mps : {128U, 256U, 512U}) {
        Profile profile = plain_profile();
        profile.mps = mps;
        profile.dma.issue_interval = nanoseconds(1);
        double before = 0;
        for (const unsigned size : {mps - 4, mps, mps + 4, 2 * mps, 2 * mps + 4, 4 * mps, 4 * mps + 4}) {
            const double expected = wire * size / (size + 24.0 * ((size + mps - 1) / mps));
            const double measured = rate(profile, topology, Transfer::Kind::write, size, 1000);
            EXPECT_NEAR(measured, expected, 0.005 * expected) << size << " bytes, MPS " << mps;
            if (size % mps == 4) {
                EXPECT_LT(measured, before) << "the tooth after " << size - 4;
            }
            before = measured;
        }
    }
}

struct Starving {
    const char* name;
    bool of_host;  ///< Who advertises the credits.
    FlowClass of_class;
    bool header;
    Transfer::Kind kind;
    unsigned bytes;    ///< Of payload that a TLP carries, or asks for.
    unsigned credits;  ///< That a TLP takes.
    Picoseconds held;  ///< The receiver's buffer.
};

class StarvedCredits : public testing::TestWithParam<Starving> {};

// Credits of so many TLPs are there again a round trip later: the TLP, the way, the buffer, an UpdateFC, the
// way.
TEST_P(StarvedCredits, CapTheRateAtCreditsBySizeByRoundTrip) {
    const Starving& starving = GetParam();
    Profile profile = plain_profile();
    profile.host_medium.metres = 100;
    profile.host.ingress = nanoseconds(150);
    profile.hop.latency = nanoseconds(120);
    profile.dma.tags = 512;
    profile.host.reads = 512;
    const bool is_read = starving.of_class == FlowClass::non_posted;
    const double on_wire = is_read ? 24 : starving.bytes + (starving.kind == Transfer::Kind::write ? 24 : 20);
    const double byte_time = 8 / Encoding(4, 16).gigabits();
    const double round_trip =
        (on_wire + kDllpBytes) * byte_time + 2 * 500 + static_cast<double>(starving.held) / 1000;
    for (const unsigned tlps : {2U, 6U}) {
        CreditPair& pair =
            (starving.of_host ? profile.host_side : profile.fabric_side).credits[index_of(starving.of_class)];
        (starving.header ? pair.header : pair.data) = tlps * starving.credits;
        const double most = tlps * starving.bytes * 8 / round_trip;
        EXPECT_NEAR(rate(profile, pair_with("width: x16"), starving.kind, 1 << 18, 1), most, 0.02 * most)
            << tlps;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, StarvedCredits,
    testing::Values(
        Starving{"PH", true, FlowClass::posted, true, Transfer::Kind::write, 256, 1, nanoseconds(150)},
        Starving{"PD", true, FlowClass::posted, false, Transfer::Kind::write, 256, 16, nanoseconds(150)},
        Starving{"NPH", true, FlowClass::non_posted, true, Transfer::Kind::read, 512, 1, nanoseconds(150)},
        Starving{"CPLH", false, FlowClass::completion, true, Transfer::Kind::read, 256, 1, nanoseconds(120)},
        Starving{"CPLD", false, FlowClass::completion, false, Transfer::Kind::read, 256, 16,
                 nanoseconds(120)}),
    [](const auto& starving) { return starving.param.name; });

// Reads carry no data: they take no NPD.
TEST(StarvedNonPostedData, IsNotMissedByReads) {
    Profile profile = plain_profile();
    const double enough = rate(profile, pair_of_hosts(), Transfer::Kind::read, 1 << 18, 1);
    profile.host_side.credits[index_of(FlowClass::non_posted)].data = 1;
    EXPECT_EQ(rate(profile, pair_of_hosts(), Transfer::Kind::read, 1 << 18, 1), enough);
}

/// TLPs of each engine of four hosts, while all write to one port of the fifth.
std::vector<std::uint64_t> incast(const Profile& of, std::uint64_t bytes) {
    Profile profile = of;
    profile.dma.descriptor = profile.dma.completion = 0;
    Simulation simulation;
    System system("system",
                  topology_of("name: i\nnodes: {a: {}, b: {}, c: {}, d: {}, e: {}}\n"
                              "switches: {s: {model: pfx-100xg4, link: {width: x4}, "
                              "nt-pairs: [[a, e], [b, e], [c, e], [d, e]]}}\n"),
                  profile, {.check = true});
    std::vector<std::uint64_t> tlps(4, 0), when_the_first_ends;
    system.host(4).root.on_write = [&](const Tlp& tlp, Picoseconds) {
        if (++tlps[tlp.cookie] == bytes / profile.mps && when_the_first_ends.empty())
            when_the_first_ends = tlps;
    };
    const std::uint16_t port = system.endpoint(0, 4)->peer_partition;
    for (std::size_t node = 0; node < 4; ++node)
        system.endpoint(node, 4)->dma->start(
            {.kind = Transfer::Kind::write, .target = {port, 0x10000 * node}, .bytes = bytes, .cookie = node},
            [](Picoseconds) {});
    simulation.run();
    EXPECT_TRUE(system.at_rest());
    EXPECT_TRUE(system.violations().empty());
    return when_the_first_ends;
}

TEST(Incast, SharesThePortFairly) {
    const std::uint64_t bytes = 1 << 18;
    for (const std::uint64_t tlps : incast(plain_profile(), bytes)) EXPECT_NEAR(tlps, bytes / 256, 2);
}

TEST(Incast, SharesThePortByWeights) {
    Profile profile = plain_profile();
    // Partitions 0, 2, 4 and 6 are those of a to d.
    profile.port_weights = {4, 1, 3, 1, 2, 1, 1, 1};
    const std::uint64_t bytes = 1 << 18;
    const std::vector<std::uint64_t> tlps = incast(profile, bytes);
    for (unsigned node = 0; node < 4; ++node)
        EXPECT_NEAR(tlps[node], bytes / 256 * (4 - node) / 4.0, 5) << node;
}

// A CPU's lines and its engine's writes, with the port to the peer between them.
TEST(Incast, RolesHaveWeights) {
    for (const unsigned weight : {1U, 3U}) {
        Profile profile = plain_profile();
        profile.host_weight = weight;
        profile.dma.start = 0;
        profile.dma.descriptor = profile.dma.completion = 0;
        profile.cpu.line_interval = nanoseconds(1);
        profile.cpu.buffers = 64;
        Simulation simulation;
        PairOfHosts pair(profile, pair_with("generation: 1, width: x4"));
        std::array<std::uint64_t, 2> tlps{}, at_end{};
        pair.system.host(1).root.on_write = [&](const Tlp& tlp, Picoseconds) {
            ++tlps[tlp.cookie];
            if (tlps[0] + tlps[1] == 1000) at_end = tlps;
        };
        Transfer transfer = pair.copy(1 << 18);
        transfer.kind = Transfer::Kind::write;
        transfer.cookie = 1;
        pair.near().dma->start(transfer, [](Picoseconds) {});
        pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), 1 << 17},
                                       [](Picoseconds) {});
        simulation.run();
        EXPECT_TRUE(pair.clean());
        EXPECT_NEAR(static_cast<double>(at_end[0]) / static_cast<double>(at_end[1]), weight, 0.1 * weight);
    }
}

// Other vendors' chips, x16; Switchtec's have no public figure, and 120 ns here.
TEST(Hop, CutThroughIsWhatSwitchesTake) {
    const struct {
        const char* profile;
        unsigned generation;
        double published;  // ns
    } rows[] = {{"generic", 3, 100}, {"switchtec-gen4x16", 4, 105}, {"switchtec-gen5x16", 5, 115}};
    for (const auto& row : rows) {
        Profile profile = load_profile(row.profile, PROFILES_DIR).value();
        const auto topology = pair_with("width: x16, generation: " + std::to_string(row.generation));
        // One TLP of one line: it is on the first wire and on the second at the same time.
        const auto with = static_cast<double>(store_latency(profile, topology, 64));
        profile.hop.latency = 0;
        EXPECT_NEAR((with - static_cast<double>(store_latency(profile, topology, 64))) / 1000, row.published,
                    30)
            << row.profile;
    }
}

TEST(Hop, StoreAndForwardTakesTheTlpOnceMore) {
    Profile profile = plain_profile();
    const auto topology = pair_with("generation: 3, width: x4");
    const Picoseconds through = store_latency(profile, topology, 64);
    profile.hop.forwarding = SwitchConfig::Forwarding::store_and_forward;
    const Picoseconds wire = to_picoseconds(Encoding(3, 4).ticks(64 + 24));
    EXPECT_NEAR(static_cast<double>(store_latency(profile, topology, 64) - through),
                static_cast<double>(wire), 2);
}

}  // namespace
}  // namespace ntblab::pcie
