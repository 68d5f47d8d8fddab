// SPDX-License-Identifier: MIT
#include "network.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace ntblab::guest {
namespace {

TEST(GuestNetwork, ReadsAddressesWithTheirPrefix) {
    const auto address = parse_address("10.77.0.2/24");
    ASSERT_TRUE(address);
    EXPECT_EQ(ntohl(address->host.s_addr), 0x0a4d0002U);
    EXPECT_EQ(ntohl(address->netmask.s_addr), 0xffffff00U);
    EXPECT_EQ(parse_address("0.0.0.0/0")->netmask.s_addr, 0U);
    EXPECT_EQ(parse_address("1.2.3.4/32")->netmask.s_addr, 0xffffffffU);
}

TEST(GuestNetwork, RefusesWhatIsNoAddress) {
    for (const char* text :
         {"", "10.77.0.2", "10.77.0.2/", "10.77.0.2/33", "10.77.0.2/24x", "10.77.0/24", "/24"})
        EXPECT_FALSE(parse_address(text)) << text;
}

TEST(GuestNetwork, KnowsInterfacesByDriverAndMac) {
    EXPECT_EQ(role_of("eth0", "52:54:00:4d:00:02\n", "virtio_net"), Role::management);
    EXPECT_EQ(role_of("eth0", "52:54:00:4c:00:02\n", "virtio_net"), Role::lan);
    EXPECT_EQ(role_of("eth0", "12:34:56:78:9a:bc\n", "ntb_netdev"), Role::ntb);
    EXPECT_EQ(role_of("eth0", "52:54:00:4d:00:02\n", "ntb_netdev"), Role::ntb);
    EXPECT_EQ(role_of("ropcie0", "02:34:56:78:9a:bc\n", "switchtec"), Role::rdma);
    EXPECT_EQ(role_of("eth0", "52:54:00:12:34:56\n", "virtio_net"), Role::other);
    EXPECT_EQ(role_of("eth0", "00:00:00:00:00:00\n", ""), Role::other);
}

}  // namespace
}  // namespace ntblab::guest
