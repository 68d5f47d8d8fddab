// SPDX-License-Identifier: MIT
#include "workload.h"

#include <gmock/gmock.h>
#include <topology/named_file.h>

#include <set>

namespace ntblab::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Four hosts, each with all others.
topology::Topology mesh() {
    return topology::parse(
               "name: mesh\nnodes: {a: {}, b: {}, c: {}, d: {}}\nswitches: {s: {model: pfx-100xg4, "
               "partitions: 12, link: {width: x8}, nt-pairs: "
               "[[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]}}\n",
               "mesh.yaml")
        .value();
}

std::vector<Flow> flows(Pattern pattern, const std::string& from, const std::string& to,
                        std::uint64_t seed = 1) {
    Workload workload;
    workload.pattern = pattern;
    workload.from = from;
    workload.to = to;
    return flows_of(workload, mesh(), seed).value();
}

TEST(Workloads, ThoseThatAreShippedAreRight) {
    const auto names = topology::names_in(WORKLOADS_DIR);
    EXPECT_GE(names.size(), 14U);
    for (const std::string& name : names) {
        const auto workload = load_workload(name, WORKLOADS_DIR);
        ASSERT_TRUE(workload) << workload.error().message;
        EXPECT_EQ(workload->name, name);
        EXPECT_NE(workload->description, "");
    }
}

TEST(Workloads, SizesAreListsAndDoublings) {
    EXPECT_THAT(parse_sizes("64").value(), ElementsAre(64));
    EXPECT_THAT(parse_sizes("8..64").value(), ElementsAre(8, 16, 32, 64));
    EXPECT_THAT(parse_sizes("3..10,4K").value(), ElementsAre(3, 6, 10, 4096));
    EXPECT_THAT(parse_sizes("1G").value(), ElementsAre(std::uint64_t{1} << 30));
    for (const char* wrong : {"", "0", "x", "4k", "1..", "..4", "2..1", "4,", "2G", "1 ", "-1"})
        EXPECT_THAT(parse_sizes(wrong).error().message, HasSubstr("is no size of a transfer")) << wrong;
}

TEST(Workloads, APairIsTheFirstOneOrTheOneThatIsNamed) {
    EXPECT_THAT(flows(Pattern::pair, "", ""), ElementsAre(Flow{0, 1}));
    EXPECT_THAT(flows(Pattern::pair, "c", ""), ElementsAre(Flow{2, 0}));
    EXPECT_THAT(flows(Pattern::pair, "", "a"), ElementsAre(Flow{1, 0}));
    EXPECT_THAT(flows(Pattern::pair, "d", "b"), ElementsAre(Flow{3, 1}));
}

TEST(Workloads, PatternsAreWhatTheirNamesSay) {
    EXPECT_EQ(flows(Pattern::all_to_all, "", "").size(), 12U);
    EXPECT_THAT(flows(Pattern::incast, "", "c"), ElementsAre(Flow{0, 2}, Flow{1, 2}, Flow{3, 2}));
    std::set<std::vector<std::size_t>> permutations;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto permutation = flows(Pattern::permutation, "", "", seed);
        EXPECT_EQ(permutation, flows(Pattern::permutation, "", "", seed));
        std::set<std::size_t> from, to;
        std::vector<std::size_t> targets;
        for (const Flow& flow : permutation) {
            EXPECT_NE(flow.from, flow.to);
            from.insert(flow.from);
            to.insert(flow.to);
            targets.push_back(flow.to);
        }
        EXPECT_EQ(from.size(), 4U);
        EXPECT_EQ(to.size(), 4U);
        permutations.insert(targets);
    }
    EXPECT_EQ(permutations.size(), 9U);  // all that leave no host to itself
}

TEST(Workloads, AreOfHostsThatAPairJoins) {
    Workload workload;
    workload.from = "a";
    workload.to = "z";
    EXPECT_THAT(flows_of(workload, mesh(), 1).error().message, HasSubstr("no node 'z'; it has a, b, c, d"));
    workload.to = "a";
    EXPECT_THAT(flows_of(workload, mesh(), 1).error().message, HasSubstr("no NT pair joins 'a' and 'a'"));
    const auto lonely = topology::parse("name: one\nnodes: {a: {}}\n", "one.yaml").value();
    EXPECT_THAT(flows_of({}, lonely, 1).error().message, HasSubstr("topology 'one' has no NT pair"));
}

TEST(Workloads, ADoorbellIsOneStore) {
    EXPECT_THAT(parse_workload("operation: doorbell\n", "w.yaml")->sizes, ElementsAre(4));
    EXPECT_THAT(parse_workload("operation: doorbell\nsizes: 8\n", "w.yaml")->sizes, ElementsAre(8));
}

struct Useless {
    const char* text;
    const char* says;
};

TEST(Workloads, KeysThatSayNothingAreRefused) {
    for (const Useless& one : {
             Useless{"operation: dma-write\npattern: all-to-all\nfrom: a\n",
                     "w.yaml:3:1: from has no use here: "},
             Useless{"operation: dma-write\npattern: permutation\nto: a\n",
                     "w.yaml:3:1: to has no use here: "},
             Useless{"operation: dma-write\npattern: incast\nfrom: a\n",
                     "w.yaml:3:1: from has no use here: "},
             Useless{"operation: pio-write\nuncached: true\n",
                     "w.yaml:2:1: uncached has no use here: pio-write"},
             Useless{"operation: rdma-send\nspan: 1M\n", "w.yaml:2:1: span has no use here: rdma-send"},
             Useless{"operation: doorbell\nremote: true\n",
                     "w.yaml:2:1: remote has no use here: an interrupt"},
             Useless{"operation: trace\ntrace: a.csv\nin-flight: 2\n",
                     "w.yaml:3:1: in-flight has no use here: "},
             Useless{"operation: dma-read\ntrace: a.csv\n",
                     "w.yaml:2:1: trace has no use here: only the operation"},
         }) {
        const auto workload = parse_workload(one.text, "w.yaml");
        ASSERT_FALSE(workload) << one.text;
        EXPECT_THAT(workload.error().message, HasSubstr(one.says));
    }
    EXPECT_TRUE(parse_workload("operation: dma-write\npattern: incast\nto: a\nuncached: true\n", "w.yaml"));
}

}  // namespace
}  // namespace ntblab::sim
