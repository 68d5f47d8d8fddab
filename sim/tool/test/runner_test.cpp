// SPDX-License-Identifier: MIT
#include "runner.h"

#include <gmock/gmock.h>
#include <topology/topology.h>

#include "pcie/simulation.h"

namespace ntblab::sim {
namespace {

std::vector<Point> run(const Workload& workload) {
    pcie::Simulation simulation;
    const auto topology = topology::load(TOPOLOGIES_DIR "/pair.yaml").value();
    pcie::System system("system", topology, pcie::load_profile("switchtec-gen4x16", PROFILES_DIR).value(),
                        {.check = true});
    Runner runner("runner", system, workload);
    simulation.run();
    EXPECT_TRUE(system.at_rest());
    EXPECT_THAT(system.violations(), testing::IsEmpty());
    return runner.points();
}

TEST(Runner, MeasuresEachSizeOfEachKind) {
    using Kind = Workload::Kind;
    for (const Kind kind : {Kind::pio_write, Kind::pio_read, Kind::pio_pingpong, Kind::dma_write,
                            Kind::dma_read, Kind::device_write, Kind::device_read}) {
        const auto points = run({.kind = kind, .sizes = {64, 4096}, .transfers = 20});
        ASSERT_EQ(points.size(), 2U);
        for (const Point& point : points) {
            EXPECT_EQ(point.transfers, 20U);
            EXPECT_GT(point.least, 0U);
            EXPECT_GE(point.median, point.least);
            EXPECT_GE(point.p99, point.median);
            EXPECT_GE(point.most, point.p99);
            EXPECT_GT(point.rate(), 0);
        }
        EXPECT_GT(points[1].median, points[0].median);
    }
}

}  // namespace
}  // namespace ntblab::sim
