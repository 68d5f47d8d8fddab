// SPDX-License-Identifier: MIT
#include "lan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ntblab::lab {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

topology::Topology nodes(const std::string& list) {
    return topology::parse("name: t\nlan: true\nnodes: {" + list + "}\n", "t.yaml").value();
}

const ClusterPaths kPaths{"/run/t"};

TEST(Lan, TwoNodesAreJoinedDirectly) {
    const auto two = nodes("a: {}, b: {}");
    EXPECT_THAT(lan_options(two, 0, kPaths),
                ElementsAre("-netdev", "stream,id=lan,server=on,addr.type=unix,addr.path=/run/t/lan2.sock"));
    EXPECT_THAT(
        lan_options(two, 1, kPaths),
        ElementsAre("-netdev",
                    "stream,id=lan,server=off,reconnect-ms=200,addr.type=unix,addr.path=/run/t/lan2.sock"));
}

TEST(Lan, MoreAreJoinedByAHubInTheFirst) {
    const auto three = nodes("a: {}, b: {}, c: {}");
    EXPECT_THAT(lan_options(three, 0, kPaths),
                ElementsAre("-netdev", "hubport,id=lan,hubid=0", "-netdev",
                            "stream,id=lan2,server=on,addr.type=unix,addr.path=/run/t/lan2.sock", "-netdev",
                            "hubport,id=hub2,hubid=0,netdev=lan2", "-netdev",
                            "stream,id=lan3,server=on,addr.type=unix,addr.path=/run/t/lan3.sock", "-netdev",
                            "hubport,id=hub3,hubid=0,netdev=lan3"));
    EXPECT_THAT(
        lan_options(three, 2, kPaths),
        Contains("stream,id=lan,server=off,reconnect-ms=200,addr.type=unix,addr.path=/run/t/lan3.sock"));
}

TEST(Lan, ANodeAloneHasNone) {
    EXPECT_THAT(lan_options(nodes("a: {}"), 0, kPaths), IsEmpty());
}

}  // namespace
}  // namespace ntblab::lab
