// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <ntblink/inspect.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cluster.h"
#include "driver.h"

namespace fabric::test {
namespace {

using nlohmann::json;

class InspectTest : public ::testing::Test {
  protected:
    json inspect() {
        auto report = ntblink::inspect(cluster_.socket());
        EXPECT_TRUE(report) << report.error().message;
        return json::parse(*report);
    }
    Cluster cluster_{2};
};

TEST_F(InspectTest, EmptyCluster) {
    const json report = inspect();
    EXPECT_EQ(report["protocol"], 2);
    EXPECT_EQ(report["pid"], cluster_.pid());
    ASSERT_EQ(report["switches"].size(), 1U);
    const json& sw = report["switches"][0];
    EXPECT_EQ(sw["name"], "sw0");
    EXPECT_EQ(sw["device_id"], 0x4052);
    ASSERT_EQ(sw["partitions"].size(), 2U);
    EXPECT_EQ(sw["partitions"][1]["node"], "node1");
    EXPECT_EQ(sw["partitions"][1]["endpoint"], "nt");
    EXPECT_EQ(sw["partitions"][1]["attached"], false);
    EXPECT_TRUE(sw["partitions"][1]["pid"].is_null());
    EXPECT_EQ(sw["partitions"][1]["link"]["up"], false);
}

TEST_F(InspectTest, WhatHostsDidShows) {
    Host a(cluster_.socket(), 0);
    Host b(cluster_.socket(), 1);
    admit_cpu(b);
    offer(a, 1, {{2, 0x200000, 0x20000}}, [&] { b.service(); });
    b.service();
    set_up_interrupts(a, 1);
    set_up_interrupts(b, 0);
    ring(a, 4);
    send(a, 1, 0xCAFE);
    ntb_endpoint_window_read(*b, 0, 4, 0, 4);
    ntb_endpoint_window_write(*b, 0, 4, 0, 0, 4);
    ntb_endpoint_window_write(*b, 0, 4, 0, 0, 4);
    b.write(0x14004, 1, 4);  // Locks the block of a ...
    a.write(0x14004, 1, 4);  // ... for which a has to wait.

    const json sw = inspect()["switches"][0];
    const json& first = sw["partitions"][0];
    const json& second = sw["partitions"][1];
    EXPECT_EQ(first["pid"], ::getpid());
    EXPECT_EQ(first["attached"], true);
    EXPECT_EQ(first["bus_master"], true);
    EXPECT_EQ(first["requester_id"], 0x100);
    EXPECT_EQ(second["requester_id"], 0x101);
    EXPECT_EQ(first["link"], json({{"up", true}, {"generation", 4}, {"width", 16}}));
    EXPECT_EQ(first["ram"],
              json::parse(R"([{"viewers": [1], "ranges": [{"address": 0, "size": 16777216}]}])"));
    EXPECT_EQ(first["control"]["state"], "LOCKED");
    EXPECT_EQ(first["control"]["owner"], 1);
    EXPECT_EQ(first["control"]["waiting"], json::parse("[0]"));
    EXPECT_EQ(second["control"]["state"], "NORMAL");
    EXPECT_TRUE(second["control"]["owner"].is_null());
    EXPECT_EQ(second["windows"],
              json::parse(R"([{"bar": 2, "offset": 0, "size": 131072, "target": 0, "address": 2097152}])"));
    EXPECT_TRUE(first["windows"].empty());
    EXPECT_EQ(second["windows_settled"], true);
    EXPECT_EQ(second["doorbells"]["pending"], "0x0000000000000010");
    EXPECT_EQ(second["doorbells"]["mask"], "0xffffffffffffffff");
    EXPECT_EQ(second["messages"][1]["value"], 0xCAFE);
    EXPECT_EQ(second["messages"][1]["pending"], true);
    EXPECT_EQ(second["messages"][1]["enabled"], true);
    EXPECT_EQ(second["messages"][1]["source"], 0);
    EXPECT_EQ(second["messages"][0]["pending"], false);
    EXPECT_EQ(second["window_read_misses"], 1);
    EXPECT_EQ(second["window_write_misses"], 2);
    EXPECT_EQ(first["window_read_misses"], 0);
}

TEST_F(InspectTest, ReportLargerThanASocketTakesComesWhole) {
    Cluster big(48);
    auto report = ntblink::inspect(big.socket());
    ASSERT_TRUE(report);
    EXPECT_EQ(json::parse(*report)["switches"][0]["partitions"].size(), 48U);
}

TEST_F(InspectTest, NoFabricIsSaid) {
    auto report = ntblink::inspect("/nonexistent/fabric.sock");
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("is ntb-fabric running?"), std::string::npos);
}

}  // namespace
}  // namespace fabric::test
