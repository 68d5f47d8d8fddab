// SPDX-License-Identifier: MIT
#include "kernel_log.h"

#include <gtest/gtest.h>

namespace ntblab::guest {
namespace {

TEST(KernelLog, SeesTheLinkComeAndGo) {
    EXPECT_EQ(
        link_event(
            "6,412,5140900,-;switchtec switchtec0: ntb link up\n SUBSYSTEM=switchtec\n DEVICE=c240:0\n"),
        (LinkEvent{"switchtec0", true}));
    EXPECT_EQ(link_event("6,413,5140901,-;switchtec switchtec1: ntb link down\n"),
              (LinkEvent{"switchtec1", false}));
    EXPECT_EQ(link_event("6,414,5140902,c;switchtec switchtec0: ntb link forced down\n"),
              (LinkEvent{"switchtec0", false}));
}

TEST(KernelLog, PassesOverEverythingElse) {
    EXPECT_EQ(link_event("6,1,0,-;switchtec: loaded.\n"), std::nullopt);
    EXPECT_EQ(link_event("6,1,0,-;ntb_perf 0000:01:00.0: ntb link upside down\n"), std::nullopt);
    EXPECT_EQ(link_event("6,1,0,-;e1000e 0000:00:19.0 eth0: NIC Link is Up\n"), std::nullopt);
    EXPECT_EQ(link_event("6,1,0,-;quoted\n TEXT=switchtec switchtec0: ntb link up\n"), std::nullopt);
    EXPECT_EQ(link_event("no record"), std::nullopt);
    EXPECT_EQ(link_event(""), std::nullopt);
}

}  // namespace
}  // namespace ntblab::guest
