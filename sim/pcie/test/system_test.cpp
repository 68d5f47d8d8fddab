// SPDX-License-Identifier: MIT
// Whole systems: every shipped topology, conservation and order under random traffic, the same seed the same
// bytes.
#include "pcie/system.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

class ShippedTopology : public testing::TestWithParam<std::string> {};

TEST_P(ShippedTopology, CarriesDataBetweenAllPairs) {
    const auto topology = topology::load(std::string(TOPOLOGIES_DIR) + "/" + GetParam());
    ASSERT_TRUE(topology);
    for (const Profile::Fabric fabric : {Profile::Fabric::switched, Profile::Fabric::adapters}) {
        Profile profile = plain_profile();
        profile.fabric = fabric;
        Simulation simulation;
        System system("system", *topology, profile, {.check = true});
        std::uint64_t arrived = 0;
        for (std::size_t node = 0; node < system.host_count(); ++node)
            if (!topology->endpoints(node).empty())
                system.host(node).root.on_write = [&](const Tlp& tlp, Picoseconds) { arrived += tlp.length; };
        for (const System::Endpoint& endpoint : system.endpoints())
            system.host(endpoint.node)
                .cpu->start({Access::Kind::store_combined, system.window(endpoint), 1000},
                            [](Picoseconds) {});
        simulation.run();
        EXPECT_EQ(arrived, 1000 * system.endpoints().size());
        EXPECT_TRUE(system.at_rest());
        EXPECT_TRUE(system.violations().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedTopology,
                         testing::Values("pair.yaml", "lan.yaml", "bigwindow.yaml", "triangle.yaml",
                                         "board.yaml", "rdma.yaml", "mesh3.yaml", "chain.yaml"),
                         [](const auto& shipped) {
                             return std::filesystem::path(shipped.param).stem().string();
                         });

/// Random traffic between three hosts, with random credits and errors: writes, reads, copies, of any size.
struct Random {
    explicit Random(std::uint64_t seed, std::uint64_t bytes) : random(seed) {
        profile = plain_profile();
        for (LinkSide* side : {&profile.host_side, &profile.fabric_side})
            for (std::size_t of_class = 0; of_class < kFlowClasses; ++of_class) {
                side->credits[of_class].header = pick(1, 64);
                side->credits[of_class].data = pick(16, 512);
            }
        profile.bit_error_rate = seed % 2 == 0 ? 1e-7 : 0;
        profile.hop.queueing =
            seed % 3 == 0 ? SwitchConfig::Queueing::shared : SwitchConfig::Queueing::per_egress;
        system = std::make_unique<System>(
            "system",
            topology_of("name: t\nnodes: {a: {}, b: {}, c: {}}\n"
                        "switches: {s: {link: {width: x8}, nt-pairs: [[a, b], [a, c], [b, c]]}}\n"),
            profile, SystemOptions{.check = true, .seed = seed});
        for (const System::Endpoint& endpoint : system->endpoints()) {
            left[&endpoint] = bytes;
            for (int i = 0; i < 3; ++i) next(endpoint);
        }
        for (std::size_t node = 0; node < 3; ++node)
            system->host(node).root.on_write = [this](const Tlp& tlp, Picoseconds visible) {
                flag_and_data(tlp, visible);
            };
    }

    std::uint32_t pick(std::uint32_t least, std::uint32_t most) {
        return least + static_cast<std::uint32_t>(random() % (most - least + 1));
    }

    void next(const System::Endpoint& endpoint) {
        std::uint64_t& rest = left[&endpoint];
        if (rest == 0) return;
        const std::uint64_t bytes = std::min<std::uint64_t>(rest, pick(1, 1) << pick(0, 13));
        rest -= bytes;
        const auto again = [this, &endpoint](Picoseconds) { next(endpoint); };
        const std::uint64_t offset = pick(0, 4095);
        const std::uint64_t stream = ++streams;
        switch (pick(0, 3)) {
            case 0:
                system->host(endpoint.node)
                    .cpu->start(
                        {Access::Kind::store_combined, system->window(endpoint) + offset, bytes, stream},
                        again);
                break;
            case 1:
                system->host(endpoint.node)
                    .cpu->start({Access::Kind::load, system->window(endpoint) + offset,
                                 std::min<std::uint64_t>(bytes, 64)},
                                again);
                break;
            default:
                endpoint.dma->start({.kind = Transfer::Kind::copy,
                                     .source = {endpoint.partition, offset},
                                     .target = {endpoint.peer_partition, pick(0, 4095)},
                                     .bytes = bytes,
                                     .queue = {endpoint.partition, 0},
                                     .cookie = stream},
                                    again);
                break;
        }
    }

    // What one access stores is seen in the order in which it was stored: the last line is a flag.
    void flag_and_data(const Tlp& tlp, Picoseconds visible) {
        ++writes;
        digest = (digest ^ visible ^ tlp.length) * 1099511628211U;
        if (tlp.cookie == 0) return;
        auto& [at, serial] = seen[tlp.cookie];
        if (visible < at || tlp.serial < serial) ++out_of_order;
        at = visible;
        serial = tlp.serial;
    }

    std::mt19937_64 random;
    Profile profile;
    std::unique_ptr<System> system;
    std::map<const System::Endpoint*, std::uint64_t> left;
    std::map<std::uint64_t, std::pair<Picoseconds, std::uint64_t>> seen;
    std::uint64_t streams = 0, writes = 0, out_of_order = 0, digest = 14695981039346656037U;
};

// About a million TLPs over the links, of twelve seeds.
TEST(RandomTraffic, ConservesAndKeepsOrder) {
    std::uint64_t tlps = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Simulation simulation;
        Random traffic(seed, 700'000);
        simulation.run();
        EXPECT_EQ(traffic.out_of_order, 0U) << seed;
        EXPECT_TRUE(traffic.system->at_rest()) << seed;
        const auto violations = traffic.system->violations();
        ASSERT_TRUE(violations.empty()) << seed << ": " << violations.front();
        for (const auto& link : traffic.system->links())
            for (const unsigned side : {0U, 1U}) {
                const LinkStatistics& sent = link->statistics(side);
                EXPECT_EQ(sent.tlps, sent.delivered);
                EXPECT_EQ(sent.tlp_bytes, sent.delivered_bytes);
                tlps += sent.tlps;
            }
    }
    EXPECT_GT(tlps, 1'000'000U);
}

TEST(RandomTraffic, TheSameSeedIsTheSameRun) {
    std::uint64_t digests[3];
    for (const std::uint64_t run : {0, 1, 2}) {
        Simulation simulation;
        Random traffic(run == 2 ? 5 : 4, 100'000);
        simulation.run();
        digests[run] = traffic.digest;
    }
    EXPECT_EQ(digests[0], digests[1]);
    EXPECT_NE(digests[0], digests[2]);
}

}  // namespace
}  // namespace ntblab::pcie
