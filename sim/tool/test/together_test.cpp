// SPDX-License-Identifier: MIT
// What goes together, and what makes no difference.
#include "together.h"

#include "bench.h"

namespace ntblab::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Kind {
    Hardware hardware = hardware_of();
    Workload workload = workload_of(Operation::dma_write);

    std::string of(const char* parameter) const {
        return no_effect(parameter, hardware.profile, hardware.topology, workload);
    }
    std::vector<std::string> notes() const {
        return sim::notes(hardware.profile, hardware.topology, workload, {{0, 1}});
    }
};

TEST(NoEffect, LinksOfASwitchAreTheTopologys) {
    Kind kind{.hardware = hardware_of("pair", "switchtec-gen5x16")};
    EXPECT_THAT(kind.of("link.generation"), HasSubstr("link: {generation: 5, width: x16}"));
    EXPECT_THAT(kind.of("cable.metres"), HasSubstr("link.metres"));
    EXPECT_THAT(kind.of("hop.cable-weight"), Not(IsEmpty()));
    EXPECT_THAT(kind.of("link.mps"), IsEmpty());
    kind.hardware = hardware_of("pair", "pxh810-gen3x8");
    for (const char* parameter : {"link.generation", "link.lanes", "cable.metres", "hop.cable-weight"})
        EXPECT_THAT(kind.of(parameter), IsEmpty()) << parameter;
}

TEST(NoEffect, ModulesThatARunDoesNotUse) {
    Kind kind;
    EXPECT_THAT(kind.of("dma.tags"), IsEmpty());
    EXPECT_THAT(kind.of("cpu.fence"), HasSubstr("dma-write is of no CPU"));
    EXPECT_THAT(kind.of("rdma.post"), HasSubstr("dma-write is no RDMA"));
    EXPECT_THAT(kind.of("host.message"), HasSubstr("no part of a run"));
    EXPECT_THAT(kind.of("iommu.miss"), HasSubstr("no node of topology 'pair' has iommu: true"));
    EXPECT_THAT(kind.of("host.uncached"), HasSubstr("uncached: true"));
    kind.workload = {.operation = Operation::pio_write, .remote = true};
    EXPECT_THAT(kind.of("dma.tags"), HasSubstr("pio-write is of no DMA engine"));
    EXPECT_THAT(kind.of("cpu.fence"), IsEmpty());
    EXPECT_THAT(kind.of("host.remote"), IsEmpty());
    kind.hardware.topology.nodes[1].iommu = true;
    EXPECT_THAT(kind.of("iommu.miss"), IsEmpty());
}

TEST(Notes, LinksThatAreNotOfTheProfilesGeneration) {
    EXPECT_THAT(Kind{}.notes(), IsEmpty());
    const Kind newer{.hardware = hardware_of("pair", "switchtec-gen5x16")};
    EXPECT_THAT(
        newer.notes(),
        ElementsAre("hosts' links are Gen4 x16, as topology 'pair' has them, and not the Gen5 x16 of profile "
                    "'switchtec-gen5x16', for which the topology has to say link: {generation: 5, width: "
                    "x16}, and a switch of it, such as model: pfx-100xg5"));
    Kind older{.hardware = hardware_of("pair", "pxh810-gen3x8")};
    EXPECT_THAT(older.notes(), ElementsAre(HasSubstr("link: {generation: 3, width: x8}")));
    for (auto& partition : older.hardware.topology.switches[0].partitions) partition.link = {3, 8};
    EXPECT_THAT(older.notes(), IsEmpty());
}

TEST(Notes, LinksThatNoFlowUsesAreNotTold) {
    Kind kind{.hardware = hardware_of("triangle")};
    for (auto& partition : kind.hardware.topology.switches[0].partitions)
        if (partition.node == 2U) partition.link.generation = 3;
    const auto& topology = kind.hardware.topology;
    EXPECT_THAT(notes(kind.hardware.profile, topology, kind.workload, {{0, 1}}), IsEmpty());
    EXPECT_THAT(notes(kind.hardware.profile, topology, kind.workload, {{0, 2}}), Not(IsEmpty()));
}

TEST(Notes, MoreTagsThanTheLinksHave) {
    Kind kind;
    kind.hardware.profile.dma.tags = 512;
    EXPECT_THAT(kind.notes(), IsEmpty());
    for (auto& partition : kind.hardware.topology.switches[0].partitions) partition.link.generation = 3;
    EXPECT_THAT(kind.notes().back(), HasSubstr("dma.tags is 512, but tags of Gen3"));
}

TEST(CheckTogether, ADoorbellIsOneStore) {
    Kind kind{.workload = workload_of(Operation::doorbell)};
    kind.workload.sizes = {4, 8};
    EXPECT_TRUE(check_together(kind.hardware.profile, kind.workload));
    kind.workload.sizes = {4, 16};
    const auto refused = check_together(kind.hardware.profile, kind.workload);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("of at most cpu.store-bytes, 8; sizes have 16"));
    EXPECT_THROW(measure(kind.hardware, kind.workload, 16), std::invalid_argument);
}

TEST(CheckTogether, TellsAProfilesConflicts) {
    Kind kind;
    kind.hardware.profile.mps = 4096;
    EXPECT_FALSE(check_together(kind.hardware.profile, kind.workload));
}

}  // namespace
}  // namespace ntblab::sim
