// SPDX-License-Identifier: MIT
#include "status.h"

#include <gtest/gtest.h>

namespace ntblab::lab {
namespace {

topology::Topology topology_of(const std::string& nodes, const std::string& switches) {
    return topology::parse("name: t\nnodes: " + nodes + "\nswitches: " + switches + "\n", "t.yaml").value();
}

TEST(Status, SshAndEveryExpectedLinkMakeANodeReady) {
    NodeStatus status(2);
    for (const char* line : {"userspace", "drivers", "link-up 0000:01:00.0", "ssh"}) status.take(line);
    EXPECT_FALSE(status.ready());
    status.take("link-up 0000:01:00.0");
    EXPECT_FALSE(status.ready()) << "the same link again is not the other one";
    status.take("link-up 0000:02:00.0");
    EXPECT_TRUE(status.ready());
    EXPECT_EQ(status.summary(), "ready");
}

TEST(Status, ALinkThatGoesDownAgainIsNotUp) {
    NodeStatus status(1);
    for (const char* line : {"userspace", "ssh", "link-up x", "link-down x"}) status.take(line);
    EXPECT_FALSE(status.ready());
    EXPECT_EQ(status.summary(), "ssh, 0 of 1 links up");
}

TEST(Status, ANewBootBeginsAnew) {
    NodeStatus status(1);
    for (const char* line : {"userspace", "ssh", "link-up x", "userspace"}) status.take(line);
    EXPECT_FALSE(status.ready());
    EXPECT_EQ(status.summary(), "userspace, 0 of 1 links up");
    for (const char* line : {"ssh", "link-up x", "power-on"}) status.take(line);
    EXPECT_EQ(status.summary(), "booting");
}

TEST(Status, AModuleThatDoesNotLoadIsAFailure) {
    NodeStatus status(0);
    for (const char* line : {"userspace", "ssh", "drivers-failed ntb_perf"}) status.take(line);
    EXPECT_FALSE(status.ready());
    EXPECT_EQ(status.failure(), "the kernel module ntb_perf could not be loaded");
}

TEST(Status, UnknownEventsAreIgnored) {
    NodeStatus status(0);
    for (const char* line : {"userspace", "", "net-up eth0", "what", "ssh"}) status.take(line);
    EXPECT_TRUE(status.ready());
}

TEST(Status, LinksAreExpectedWhereBothSidesEnableThem) {
    const auto pair = topology_of("{a: {}, b: {}}", "{s: {nt-pairs: [[a, b]]}}");
    EXPECT_EQ(links_expected(pair, 0), 1U);
    const auto one_side =
        topology_of("{a: {}, b: {modules: [ntb_hw_switchtec]}}", "{s: {nt-pairs: [[a, b]]}}");
    EXPECT_EQ(links_expected(one_side, 0), 0U);
    EXPECT_EQ(links_expected(one_side, 1), 0U);
    const auto three = topology_of("{a: {}, b: {}, c: {modules: []}}",
                                   "{s: {link: {width: x4}, nt-pairs: [[a, b], [a, c], [b, c]]}}");
    EXPECT_EQ(links_expected(three, 0), 1U);
    EXPECT_EQ(links_expected(three, 2), 0U);
}

TEST(LinksExpected, TowardsOnePeer) {
    const auto triangle = topology::parse(
                              "name: t\nnodes: {a: {}, b: {}, c: {modules: []}}\n"
                              "switches: {s: {model: pfx-100xg4, nt-pairs: [[a, b], [a, c], [a, b]]}}\n",
                              "t.yaml")
                              .value();
    EXPECT_EQ(links_expected(triangle, 0, 1), 2U);
    EXPECT_EQ(links_expected(triangle, 1, 0), 2U);
    EXPECT_EQ(links_expected(triangle, 0, 2), 0U);
    EXPECT_EQ(links_expected(triangle, 0), 2U);
}

}  // namespace
}  // namespace ntblab::lab
