// SPDX-License-Identifier: MIT
// Every picosecond of a transfer has a name, once.
#include "explain.h"

#include <gmock/gmock.h>

#include <set>

#include "gnuplot.h"
#include "traced_run.h"
#include "waterfall.h"

namespace ntblab::sim {
namespace {

topology::Topology topology_of(const std::string& name) {
    return topology::load(std::string(TOPOLOGIES_DIR "/") + name + ".yaml").value();
}

Result<Account> explained(const topology::Topology& topology, const pcie::Profile& profile,
                          const Workload& workload, const Flow& flow = {0, 1}) {
    return explain({topology, profile}, workload, flow, workload.sizes.front(), {});
}

/// What the runner measures of the same transfer.
pcie::Picoseconds measured(const topology::Topology& topology, const pcie::Profile& profile,
                           Workload workload) {
    workload.transfers = workload.in_flight = 1;
    return simulate({topology, profile}, workload, {{0, 1}}, workload.sizes.front(), {}).measured.all.least;
}

void expect_complete(const topology::Topology& topology, const pcie::Profile& profile,
                     const Workload& workload, const std::string& what) {
    const auto account = explained(topology, profile, workload);
    ASSERT_TRUE(account) << what << ": " << account.error().message;
    ASSERT_FALSE(account->steps.empty()) << what;
    pcie::Picoseconds at = account->begin;
    for (const Step& step : account->steps) {
        EXPECT_EQ(step.begin, at) << what << ": " << step.part;
        EXPECT_GT(step.end, step.begin) << what << ": " << step.part;
        at = step.end;
    }
    EXPECT_EQ(at, account->end) << what;
    EXPECT_EQ(account->end - account->begin, measured(topology, profile, workload)) << what;
    at = account->begin;
    for (const Step& step : summary(*account)) {
        EXPECT_EQ(step.begin, at) << what << ": " << step.part;
        at = step.end;
    }
    EXPECT_EQ(at, account->end) << what;
}

std::set<std::string> parts_of(const Account& account) {
    std::set<std::string> parts;
    for (const Step& step : account.steps) parts.insert(step.part);
    return parts;
}

TEST(Explain, PartsAddUpToWhatIsMeasured) {
    const auto topology = topology_of("pair");
    for (const char* name : {"switchtec-gen4x16", "pxh810-gen3x8", "mxh930-gen4x16", "intel-ntb"}) {
        const pcie::Profile profile = profile_of(name);
        for (const Operation operation :
             {Operation::pio_write, Operation::pio_read, Operation::dma_write, Operation::dma_read,
              Operation::device_write, Operation::device_read})
            for (const std::uint64_t size : {1U, 64U, 257U, 4096U})
                expect_complete(topology, profile, {.operation = operation, .sizes = {size}, .warm_up = 2},
                                fmt::format("{} {} {}", name, static_cast<int>(operation), size));
        expect_complete(topology, profile, {.operation = Operation::doorbell, .sizes = {4}}, name);
    }
}

// What the shipped profiles do not have, or seldom.
TEST(Explain, PartsAddUpWithAllThatTakesTime) {
    const auto topology = topology::parse(
                              "name: pair\nnodes: {a: {iommu: true}, b: {iommu: true}}\n"
                              "switches: {s: {nt-pairs: [[a, b]]}}\n",
                              "test.yaml")
                              .value();
    pcie::Profile profile = eventful_profile();
    profile.bit_error_rate = 2e-5;
    profile.ntb.translation = pcie::nanoseconds(7);
    profile.dma.tags = 2;
    profile.host.reads = 1;
    for (pcie::LinkSide* side : {&profile.host_side, &profile.fabric_side})
        side->transmit_delay = side->receive_delay = pcie::nanoseconds(3);
    std::set<std::string> parts;
    using Forwarding = pcie::SwitchConfig::Forwarding;
    using Queueing = pcie::SwitchConfig::Queueing;
    for (const Forwarding forwarding : {Forwarding::cut_through, Forwarding::store_and_forward})
        for (const Queueing queueing : {Queueing::per_egress, Queueing::shared}) {
            profile.hop.forwarding = forwarding;
            profile.hop.queueing = queueing;
            for (const Operation operation :
                 {Operation::pio_write, Operation::pio_read, Operation::dma_write, Operation::dma_read,
                  Operation::device_write, Operation::device_read})
                for (const std::uint64_t size : {8U, 30000U}) {
                    const Workload workload{.operation = operation,
                                            .sizes = {size},
                                            .warm_up = 0,
                                            .uncached = true,
                                            .remote = true};
                    expect_complete(topology, profile, workload,
                                    fmt::format("{} {} {}", static_cast<int>(forwarding),
                                                static_cast<int>(operation), size));
                    parts.merge(parts_of(explained(topology, profile, workload).value()));
                }
        }
    EXPECT_THAT(parts, testing::IsSupersetOf({"earlier accesses",
                                              "store buffers in use",
                                              "issue",
                                              "load",
                                              "egress",
                                              "transmit delay",
                                              "queue",
                                              "replay",
                                              "serialization",
                                              "propagation",
                                              "receive delay",
                                              "NTB",
                                              "store-and-forward",
                                              "hop",
                                              "ingress",
                                              "IOMMU",
                                              "memory read",
                                              "memory write",
                                              "DMA start",
                                              "tags in use",
                                              "DMA turnaround"}));
}

TEST(Explain, FlitsAreAccountedFor) {
    auto topology = topology_of("pair");
    for (auto& partition : topology.switches[0].partitions) partition.link.generation = 6;
    for (const Operation operation :
         {Operation::pio_write, Operation::pio_read, Operation::dma_write, Operation::device_read})
        expect_complete(topology, profile_of("switchtec-gen4x16"), {.operation = operation, .sizes = {3000}},
                        "flits");
}

// A narrow link behind a wide one, and a wide one behind a narrow.
TEST(Explain, LinksOfDifferentRatesAreAccountedFor) {
    for (const unsigned narrow : {0U, 1U}) {
        auto topology = topology_of("pair");
        topology.switches[0].partitions[narrow].link = {1, 1};
        for (const Operation operation :
             {Operation::pio_write, Operation::pio_read, Operation::dma_write, Operation::dma_read})
            expect_complete(topology, profile_of("switchtec-gen4x16"),
                            {.operation = operation, .sizes = {1000}}, fmt::format("narrow link {}", narrow));
    }
}

// The parts of a small write are the profile's own numbers.
TEST(Explain, AWriteIsWhatItsProfileSays) {
    pcie::Profile profile = profile_of("switchtec-gen4x16");
    const auto account =
        explained(topology_of("pair"), profile, {.operation = Operation::pio_write, .sizes = {64}}).value();
    std::map<std::string, pcie::Picoseconds> spans;
    for (const Step& step : account.steps) spans[step.part] += step.end - step.begin;
    EXPECT_EQ(spans.at("issue"), profile.cpu.issue);
    EXPECT_EQ(spans.at("egress"), profile.host.egress);
    EXPECT_EQ(spans.at("hop"), profile.hop.latency);
    EXPECT_EQ(spans.at("ingress"), profile.host.ingress);
    EXPECT_EQ(spans.at("memory write"), profile.host.write);
    EXPECT_EQ(spans.at("propagation"), 2 * profile.host_medium.propagation());
    // 88 bytes at 252.06 Gb/s, once: the switch cuts through.
    EXPECT_NEAR(static_cast<double>(spans.at("serialization")), 88 * 8 / 0.25206154, 1);
    EXPECT_EQ(spans.size(), 7U);
}

TEST(Explain, StarvedCreditsHaveTheirName) {
    pcie::Profile profile = profile_of("switchtec-gen4x16");
    profile.fabric_side.credits[0] = {1, 16};
    const auto account =
        explained(topology_of("pair"), profile, {.operation = Operation::pio_write, .sizes = {4096}}).value();
    EXPECT_THAT(parts_of(account), testing::Contains("PH credits"));
}

TEST(Explain, SaysWhatItCannot) {
    const auto profile = profile_of("switchtec-gen4x16");
    auto none = explained(topology_of("pair"), profile, {.operation = Operation::pio_write}, {0, 0});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, testing::HasSubstr("no NT pair"));
    none = explained(topology_of("pair"), profile, {.operation = Operation::pio_pingpong});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, testing::HasSubstr("pio-write"));
    none = explained(topology_of("pair"), profile,
                     {.operation = Operation::dma_write, .pattern = Pattern::incast});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, testing::HasSubstr("the pattern has to be pair"));
}

TEST(Waterfall, IsDrawnAsSvgAndPng) {
    const Folder folder;
    const auto account = explained(topology_of("pair"), profile_of("switchtec-gen4x16"),
                                   {.operation = Operation::dma_write, .sizes = {4096}})
                             .value();
    auto drawn = draw_waterfall(account, "it's a write", folder / "a.svg");
    ASSERT_TRUE(drawn) << drawn.error().message;
    const std::string svg = contents(folder / "a.svg");
    EXPECT_THAT(svg, testing::HasSubstr("it's a write"));
    for (const Step& step : account.steps)
        EXPECT_THAT(svg, testing::HasSubstr(fmt::format("{} {}, {}", step.tlp, step.part, step.where)));
    drawn = draw_waterfall(account, "it's a write", folder / "a.png");
    ASSERT_TRUE(drawn) << drawn.error().message;
    EXPECT_TRUE(contents(folder / "a.png").starts_with("\x89PNG"));
}

TEST(Gnuplot, SaysWhatIsWrong) {
    const Folder folder;
    auto drawn = gnuplot("plot sin(x)\n", folder / "a.jpg", 100, 100);
    ASSERT_FALSE(drawn);
    EXPECT_THAT(drawn.error().message, testing::HasSubstr(".svg or .png"));
    drawn = gnuplot("plot nonsense(\n", folder / "a.svg", 100, 100);
    ASSERT_FALSE(drawn);
    EXPECT_THAT(drawn.error().message, testing::HasSubstr("gnuplot"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.svg"));
}

TEST(Gnuplot, SaysWhatToInstall) {
    const Folder folder;
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nonexistent", 1);
    const auto drawn = gnuplot("plot sin(x)\n", folder / "a.svg", 100, 100);
    setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(drawn);
    EXPECT_THAT(drawn.error().message, testing::HasSubstr("gnuplot-nox"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.svg"));
}

}  // namespace
}  // namespace ntblab::sim
