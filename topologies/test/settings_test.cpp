// SPDX-License-Identifier: MIT
// What a file says, and what it leaves to defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/topology.h"

namespace ntblab::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Topology good(const std::string& text) {
    auto result = parse(text, "t.yaml");
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(Topology{});
}

constexpr auto kPair = "name: p\nnodes: {a: {}, b: {}}\nswitches: {sw0: {nt-pairs: [[a, b]]}}\n";

TEST(Settings, ThePairHasTheDocumentedDefaults) {
    const Topology t = good(kPair);
    EXPECT_EQ(t.name, "p");
    EXPECT_FALSE(t.lan);
    ASSERT_EQ(t.nodes.size(), 2U);
    EXPECT_EQ(t.nodes[0].name, "a");
    EXPECT_EQ(t.nodes[1].cpus, 1U);
    EXPECT_EQ(t.nodes[1].memory, 1ULL << 30);
    EXPECT_EQ(t.nodes[1].cmdline, "");
    EXPECT_FALSE(t.nodes[1].iommu);
    EXPECT_THAT(t.nodes[1].modules, ElementsAre("ntb_transport", "ntb_hw_switchtec", "ntb_netdev"));
    ASSERT_EQ(t.switches.size(), 1U);
    EXPECT_EQ(t.switches[0].device_id, 0x4052);
    const Partition& side = t.switches[0].partitions.at(1);
    EXPECT_EQ(side.link, (Link{4, 16}));
    EXPECT_EQ(side.windows, (Windows{64ULL << 20, 64ULL << 20, 64}));
    EXPECT_EQ(side.vectors, 4U);
    EXPECT_EQ(side.dma, 0U);
    EXPECT_TRUE(side.dma_listed);
    EXPECT_THAT(t.warnings, IsEmpty());
}

TEST(Settings, ANodeComesBeforeItsSwitchAndThatBeforeDefaults) {
    const Topology t = good(
        "name: p\n"
        "defaults: {cpus: 3, memory: 256M, link: {generation: 1, width: x1}, windows: {bar2: 1M, bar4: 2M}, "
        "vectors: 5}\n"
        "nodes: {a: {cpus: 2, link: {width: 2}, windows: {bar4: 0}}, b: null}\n"
        "switches: {s: {link: {generation: 3, width: x8}, windows: {bar2: 16M, lut-entries: 128}, nt-pairs: "
        "[[a, b]]}}\n");
    EXPECT_EQ(t.nodes[0].cpus, 2U);
    EXPECT_EQ(t.nodes[1].cpus, 3U);
    EXPECT_EQ(t.nodes[1].memory, 256ULL << 20);
    const auto& sides = t.switches[0].partitions;
    EXPECT_EQ(sides[0].link, (Link{3, 2}));
    EXPECT_EQ(sides[1].link, (Link{3, 8}));
    EXPECT_EQ(sides[0].windows, (Windows{16ULL << 20, 0, 128}));
    EXPECT_EQ(sides[1].windows, (Windows{16ULL << 20, 2ULL << 20, 128}));
    EXPECT_EQ(sides[0].vectors, 5U);
}

TEST(Settings, DmaEnginesAreThoseThatTheFileNames) {
    const Topology t = good(
        "name: p\n"
        "defaults: {dma: 2}\n"
        "nodes: {a: {dma: 64}, b: {}, c: {dma: 0}}\n"
        "switches:\n"
        "  s: {rid-protection: strict, dma: 4, nt-pairs: [[a, b]]}\n"
        "  old: {model: pfx-48xg3, link: {generation: 3}, dma: 0, nt-pairs: [[b, c]], upstream-port: "
        "true}\n");
    const auto& sides = t.switches[0].partitions;
    EXPECT_EQ(sides[0].dma, 64U);
    EXPECT_FALSE(sides[0].dma_listed);
    EXPECT_EQ(sides[1].dma, 4U);
    EXPECT_EQ(t.switches[1].partitions[0].dma, 0U);
    EXPECT_EQ(t.switches[0].dma_function(), 1U);
    EXPECT_EQ(t.switches[1].dma_function(), 2U);
}

TEST(Settings, SizesAreBytesOrPowersOf1024) {
    for (const auto& [text, bytes] :
         std::vector<std::pair<std::string, std::uint64_t>>{{"268435456", 1ULL << 28},
                                                            {"262144K", 1ULL << 28},
                                                            {"256M", 1ULL << 28},
                                                            {"2G", 1ULL << 31},
                                                            {"1T", 1ULL << 40},
                                                            {"\"512M\"", 1ULL << 29}}) {
        EXPECT_EQ(good("name: p\nnodes: {a: {memory: " + text + "}}\n").nodes.at(0).memory, bytes) << text;
    }
}

TEST(Settings, NodesNeedNoSwitch) {
    EXPECT_THAT(good("name: p\nlan: true\nnodes: {a: {}}\n").switches, IsEmpty());
}

TEST(Settings, ModulesMayBeNone) {
    EXPECT_THAT(good("name: p\nnodes: {a: {modules: []}}\n").nodes.at(0).modules, IsEmpty());
    EXPECT_THAT(good("name: p\nnodes: {a: {}}\n").nodes.at(0).modules, IsEmpty())
        << "no NT pair, no NTB device";
    EXPECT_THAT(good("name: p\nnodes: {a: {modules: [ntb]}}\n").nodes.at(0).modules, ElementsAre("ntb"));
}

TEST(Settings, AGen5ModelHasGen5Links) {
    const Topology t = good(
        "name: p\nnodes: {a: {}, b: {}}\nswitches: {s: {model: pfx-100xg5, link: {generation: 5}, nt-pairs: "
        "[[a, b]]}}\n");
    EXPECT_EQ(t.switches[0].device_id, 0x5000);
    EXPECT_EQ(t.switches[0].partitions[0].link.generation, 5U);
}

TEST(Settings, ModelsOfEveryGeneration) {
    struct Expected {
        const char *model, *link;
        unsigned vendor, device;
    };
    for (const auto& e : {Expected{"pfx-24xg3", "generation: 3, width: x8", 0x11F8, 0x8531},
                          Expected{"psx-96xg3", "generation: 3", 0x11F8, 0x8546},
                          Expected{"psx-36xg4", "width: x16", 0x11F8, 0x4136},
                          Expected{"psx-100xg5", "generation: 5", 0x11F8, 0x5100},
                          Expected{"pci1003", "width: x8", 0x1055, 0x1003}}) {
        const Topology t = good(std::string("name: p\nnodes: {a: {}, b: {}}\nswitches: {s: {model: ") +
                                e.model + ", link: {" + e.link + "}, nt-pairs: [[a, b]]}}\n");
        EXPECT_EQ(t.switches[0].vendor_id, e.vendor) << e.model;
        EXPECT_EQ(t.switches[0].device_id, e.device) << e.model;
    }
}

TEST(Settings, WhatMainlineDriversCannotUseIsAWarning) {
    const Topology small =
        good("name: p\nnodes: {a: {windows: {bar2: 2M}}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n");
    EXPECT_THAT(small.warnings, ElementsAre(testing::HasSubstr("lower lut-entries or enlarge the BAR")));
    const Topology unequal = good(
        "name: p\nnodes: {a: {windows: {lut-entries: 8}}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n");
    EXPECT_THAT(unequal.warnings, ElementsAre(testing::HasSubstr("make them equal")));
}

TEST(Settings, NtbClientsThatCannotWorkTogetherAreAWarning) {
    const Topology two = good(
        "name: p\nnodes:\n  a: {modules: [ropcie, ntb_transport, ntb_hw_switchtec, ntb_netdev]}\n  b: {}\n"
        "switches: {s: {nt-pairs: [[a, b]]}}\n");
    EXPECT_THAT(two.warnings,
                ElementsAre(testing::AllOf(testing::StartsWith("t.yaml:3:"),
                                           testing::HasSubstr("the NTB clients ropcie and ntb_transport"))));
    const Topology unlike = good(
        "name: p\nnodes: {a: {modules: [ropcie, ntb_hw_switchtec]}, b: {}}\nswitches: {s: {nt-pairs: [[a, "
        "b]]}}\n");
    EXPECT_THAT(
        unlike.warnings,
        ElementsAre(testing::HasSubstr("'a' loads the NTB client ropcie, its peer 'b' ntb_transport")));
}

}  // namespace
}  // namespace ntblab::topology
