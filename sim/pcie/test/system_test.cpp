// SPDX-License-Identifier: MIT
// Whole systems: every shipped topology.
#include "pcie/system.h"

#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace ntblab::pcie
