// SPDX-License-Identifier: MIT
// Which partition belongs to which side of which NT pair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/topology.h"

namespace ntblab::topology {
namespace {

using testing::HasSubstr;

/// "a>1 b>0 c -": node and peer of each partition, no peer of a management endpoint, '-' for no endpoint.
std::string layout(const Topology& t, std::size_t sw) {
    std::string result;
    for (const Partition& p : t.switches.at(sw).partitions) {
        result += p.node ? t.nodes[*p.node].name : "-";
        if (p.peer) result += ">" + std::to_string(*p.peer);
        result += " ";
    }
    return result;
}

/// "0.0 1.3": switch and partition of each.
std::string places(const std::vector<Endpoint>& endpoints) {
    std::string result;
    for (const Endpoint& e : endpoints)
        result += std::to_string(e.sw) + "." + std::to_string(e.partition) + " ";
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
    EXPECT_EQ(places(t.endpoints(0)), "0.0 0.3 1.1 ");
}

TEST(Partitions, OfManagementHostsComeAfterThePairs) {
    const Topology t =
        good("{s: {model: pfx-100xg4, nt-pairs: [{nodes: [a, b], partitions: [0, 3]}], management: [c, a]}}");
    EXPECT_EQ(layout(t, 0), "a>3 - - b>0 c a ");
    EXPECT_EQ(places(t.endpoints(0)), "0.0 ");
    EXPECT_EQ(places(t.management_endpoints(0)), "0.5 ");
    EXPECT_EQ(t.switches[0].partitions[4].windows, (Windows{0, 0, 0}));
    EXPECT_EQ(t.nodes[2].modules, std::vector<std::string>{"switchtec"});
    EXPECT_EQ(t.nodes[0].modules.front(), "ntb_transport");
}

TEST(Partitions, OfManagementHostsThatAreWrong) {
    EXPECT_THAT(bad("{s: {nt-pairs: [[a, b]], management: [x]}}"),
                HasSubstr("management of switch 's' names the unknown node 'x'; add it to 'nodes'"));
    EXPECT_THAT(bad("{s: {nt-pairs: [[a, b]], management: [c, c]}}"),
                HasSubstr("management of switch 's' names 'c' twice; name it once"));
    EXPECT_THAT(bad("{s: {nt-pairs: [{nodes: [a, b], partitions: [0, 47]}], management: [c]}}"),
                HasSubstr("management of switch 's' has no partition left for 'c'; a switch has at most 48"));
    EXPECT_THAT(bad("{s: {nt-pairs: [[a, b]], management: [c, a]}}"),
                HasSubstr("52 lanes, but its links need 64"))
        << "its link takes lanes, too";
}

TEST(Partitions, BehindAnUpstreamPortIfTheSwitchSaysSo) {
    EXPECT_FALSE(good("{s: {nt-pairs: [[a, b]]}}").switches[0].upstream_port);
    EXPECT_TRUE(good("{s: {upstream-port: true, nt-pairs: [[a, b]]}}").switches[0].upstream_port);
    EXPECT_THAT(bad("{s: {upstream-port: 1, nt-pairs: [[a, b]]}}"),
                HasSubstr("upstream-port of switch 's' is the number 1; expected true or false"));
}

TEST(Partitions, CannotBeSharedOrTooFew) {
    EXPECT_THAT(bad("{s: {nt-pairs: [{nodes: [a, b], partitions: [2, 3]}, [a, c]]}}"),
                HasSubstr("already that of node 'a'"));
    EXPECT_THAT(bad("{s: {nt-pairs: [{nodes: [a, b], partitions: [1, 1]}]}}"),
                HasSubstr("give each side its own"));
    EXPECT_THAT(bad("{s: {partitions: 2, nt-pairs: [[a, b], [a, c]]}}"),
                HasSubstr("has 2 partitions, but its NT pairs and management hosts need 4"));
}

TEST(Partitions, LinksMustFitTheModel) {
    EXPECT_THAT(bad("{s: {nt-pairs: [[a, b], [a, c]]}}"), HasSubstr("has 52 lanes, but its links need 64"));
    EXPECT_THAT(bad("{s: {link: {generation: 5}, nt-pairs: [[a, b]]}}"), HasSubstr("is a Gen4 switch"));
}

}  // namespace
}  // namespace ntblab::topology
