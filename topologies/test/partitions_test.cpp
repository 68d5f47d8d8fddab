// SPDX-License-Identifier: MIT
// Which partition belongs to which side of which NT pair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/topology.h"

namespace ntblab::topology {
namespace {

using testing::HasSubstr;

/// "a>1 b>0 -": node and peer of each partition, '-' for one without an endpoint.
std::string layout(const Topology& t, std::size_t sw) {
    std::string result;
    for (const Partition& p : t.switches.at(sw).partitions)
        result += p.node ? t.nodes[*p.node].name + ">" + std::to_string(*p.peer) + " " : "- ";
    return result;
}

Topology good(const std::string& switches) {
    auto result = parse("name: p\nnodes: {a: {}, b: {}, c: {}}\nswitches: " + switches, "t.yaml");
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(Topology{});
}

std::string bad(const std::string& switches) {
    const auto result = parse("name: p\nnodes: {a: {}, b: {}, c: {}}\nswitches: " + switches, "t.yaml");
    EXPECT_FALSE(result);
    return result ? "" : result.error().message;
}

TEST(Partitions, FollowTheOrderOfThePair) {
    EXPECT_EQ(layout(good("{s: {nt-pairs: [[a, b]]}}"), 0), "a>1 b>0 ");
    EXPECT_EQ(layout(good("{s: {nt-pairs: [[b, a]]}}"), 0), "b>1 a>0 ");
}

TEST(Partitions, EachPairHasTwoOfItsOwn) {
    EXPECT_EQ(layout(good("{s: {model: pfx-100xg4, nt-pairs: [[a, b], [a, c], [b, c]]}}"), 0),
              "a>1 b>0 a>3 c>2 b>5 c>4 ");
}

TEST(Partitions, CanBeChosen) {
    EXPECT_EQ(layout(good("{s: {nt-pairs: [{nodes: [a, b], partitions: [3, 1]}]}}"), 0), "- b>3 - a>1 ");
}

TEST(Partitions, BeyondThePairsHaveNoEndpoint) {
    const Topology t = good("{s: {partitions: 4, nt-pairs: [[a, b]]}}");
    EXPECT_EQ(layout(t, 0), "a>1 b>0 - - ");
    EXPECT_EQ(t.switches[0].partitions[3].windows, (Windows{0, 0, 0}));
}

TEST(Partitions, ANodeFindsItsEndpointsInTheOrderOfSwitchAndPartition) {
    const Topology t = good("{s: {nt-pairs: [[a, b], [c, a]], link: {width: x8}}, r: {nt-pairs: [[b, a]]}}");
    std::string found;
    for (const Endpoint& e : t.endpoints(0))
        found += std::to_string(e.sw) + "." + std::to_string(e.partition) + " ";
    EXPECT_EQ(found, "0.0 0.3 1.1 ");
}

TEST(Partitions, CannotBeSharedOrTooFew) {
    EXPECT_THAT(bad("{s: {nt-pairs: [{nodes: [a, b], partitions: [2, 3]}, [a, c]]}}"),
                HasSubstr("already that of node 'a'"));
    EXPECT_THAT(bad("{s: {nt-pairs: [{nodes: [a, b], partitions: [1, 1]}]}}"),
                HasSubstr("give each side its own"));
    EXPECT_THAT(bad("{s: {partitions: 2, nt-pairs: [[a, b], [a, c]]}}"),
                HasSubstr("has 2 partitions, but its NT pairs need 4"));
}

TEST(Partitions, LinksMustFitTheModel) {
    EXPECT_THAT(bad("{s: {nt-pairs: [[a, b], [a, c]]}}"), HasSubstr("has 52 lanes, but its links need 64"));
    EXPECT_THAT(bad("{s: {link: {generation: 5}, nt-pairs: [[a, b]]}}"), HasSubstr("is a Gen4 switch"));
}

}  // namespace
}  // namespace ntblab::topology
