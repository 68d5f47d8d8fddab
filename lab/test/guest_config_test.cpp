// SPDX-License-Identifier: MIT
#include "guest_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ntblab::lab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

topology::Topology parse(const std::string& text) {
    return topology::parse("name: t\n" + text, "t.yaml").value();
}

topology::Topology triangle() {
    return parse(
        "nodes: {a: {}, b: {}, c: {}}\nswitches: {s: {link: {width: x8}, nt-pairs: [[a, b], [a, c], [b, "
        "c]]}}\n");
}

TEST(GuestConfig, OfThePair) {
    const auto pair = parse(
        "nodes: {a: {}, b: {modules: [ntb_hw_switchtec, ntb_perf]}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n");
    EXPECT_EQ(guest_config(pair, 1),
              "NTBLAB_CLUSTER='t'\nNTBLAB_NODE='b'\nNTBLAB_INDEX='2'\n"
              "NTBLAB_ADDRESSES='10.77.0.2/24'\nNTBLAB_LAN_ADDRESS=''\nNTBLAB_RDMA_ADDRESS='10.80.0.2/24'\n"
              "NTBLAB_NETWORKS='10.78.0.0/16 10.80.0.0/16 10.77.0.0/16'\n"
              "NTBLAB_MODULES='ntb_hw_switchtec ntb_perf'\nNTBLAB_SHARE=''\n");
    EXPECT_THAT(guest_config(pair, 1, "tag"), HasSubstr("NTBLAB_SHARE='tag'\n"));
    EXPECT_THAT(guest_hosts(pair, 0),
                HasSubstr("10.77.0.1 a\n10.80.0.1 a.rdma\n10.77.0.2 b\n10.80.0.2 b.rdma\n"));
}

TEST(GuestConfig, EveryNtPairIsANetwork) {
    EXPECT_THAT(guest_config(triangle(), 1), HasSubstr("NTBLAB_ADDRESSES='10.77.0.2/24 10.77.2.2/24'\n"));
    EXPECT_THAT(guest_config(triangle(), 2), HasSubstr("NTBLAB_ADDRESSES='10.77.1.3/24 10.77.2.3/24'\n"));
}

TEST(GuestConfig, ANameIsTheAddressAtTheSharedPair) {
    EXPECT_THAT(guest_hosts(triangle(), 0),
                AllOf(HasSubstr("10.77.0.1 a\n"), HasSubstr("10.77.0.2 b\n"), HasSubstr("10.77.1.3 c\n")));
    EXPECT_THAT(guest_hosts(triangle(), 2),
                AllOf(HasSubstr("10.77.1.1 a\n"), HasSubstr("10.77.2.2 b\n"), HasSubstr("10.77.1.3 c\n")));
}

TEST(GuestConfig, WhoIsNoNeighbourIsReachedOverTheLanOrNotAtAll) {
    const std::string chain =
        "nodes: {a: {}, b: {}, c: {}}\nswitches: {s: {link: {width: x8}, nt-pairs: [[a, b], [b, c]]}}\n";
    EXPECT_THAT(guest_hosts(parse(chain), 0), Not(HasSubstr(" c\n")));
    const auto with_lan = parse("lan: true\n" + chain);
    EXPECT_THAT(guest_hosts(with_lan, 0),
                AllOf(HasSubstr("10.77.0.2 b\n"), HasSubstr("10.78.0.2 b.lan\n10.78.0.3 c\n"),
                      HasSubstr("10.78.0.3 c.lan\n")));
    EXPECT_THAT(guest_config(with_lan, 0), HasSubstr("NTBLAB_LAN_ADDRESS='10.78.0.1/24'\n"));
}

TEST(GuestConfig, AmongNodesThatLoadRopcieANameIsTheAddressThere) {
    const auto mixed = parse(
        "nodes: {a: {modules: [ropcie, ntb_hw_switchtec]}, b: {modules: [ropcie, ntb_hw_switchtec]}, c: {}}\n"
        "switches: {s: {link: {width: x8}, nt-pairs: [[a, b], [a, c]]}}\n");
    EXPECT_THAT(guest_hosts(mixed, 0), AllOf(HasSubstr("10.80.0.2 b\n"), HasSubstr("10.77.1.3 c\n")));
    EXPECT_THAT(guest_hosts(mixed, 2), HasSubstr("10.77.1.1 a\n"));
}

TEST(GuestConfig, RopcieReachesNeighboursAlone) {
    const auto chain = parse(
        "lan: true\ndefaults: {modules: [ropcie, ntb_hw_switchtec]}\nnodes: {a: {}, b: {}, c: {}}\n"
        "switches: {s: {link: {width: x8}, nt-pairs: [[a, b], [b, c]]}}\n");
    EXPECT_THAT(guest_hosts(chain, 0),
                AllOf(HasSubstr("10.80.0.1 a\n"), HasSubstr("10.80.0.2 b\n"), HasSubstr("10.78.0.3 c\n")));
}

TEST(GuestConfig, ANodeAloneKnowsItself) {
    const auto alone = parse("nodes: {a: {}}\n");
    EXPECT_THAT(guest_hosts(alone, 0), HasSubstr("127.0.1.1 a\n"));
    EXPECT_THAT(guest_config(alone, 0), HasSubstr("NTBLAB_ADDRESSES=''\n"));
}

TEST(GuestConfig, PairsAreCountedOverAllSwitches) {
    const auto two =
        parse("nodes: {a: {}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}, r: {nt-pairs: [[b, a]]}}\n");
    EXPECT_THAT(guest_config(two, 0), HasSubstr("NTBLAB_ADDRESSES='10.77.0.1/24 10.77.1.1/24'\n"));
}

}  // namespace
}  // namespace ntblab::lab
