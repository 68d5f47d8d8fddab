// SPDX-License-Identifier: MIT
#include "trace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ntblab::lab {
namespace {

class TraceTextTest : public testing::Test {
  protected:
    /// Of node b, whose second endpoint is in partition 5.
    TraceEvent event(const std::string& text) const {
        return parse_trace_line("1@10.500000:switchtec_ntb_" + text).value();
    }
    std::string line(const std::string& words) const { return text_.line(event(words)); }

    topology::Topology topology_ =
        topology::parse(
            "name: t\nnodes: {a: {}, b: {}, c: {}}\nswitches:\n  sw0: {nt-pairs: [[a, b]]}\n"
            "  sw1: {model: pfx-48xg3, link: {generation: 3}, nt-pairs: [{nodes: [b, c], partitions: [5, "
            "0]}]}\n",
            "t.yaml")
            .value();
    TraceText text_{topology_, 1, 10'000'000};
};

TEST_F(TraceTextTest, RegistersAndTheirFieldsHaveNames) {
    EXPECT_EQ(line("gas_write ntb0: 0x016004 x size 4 = 0x1"),
              "  0.500000 sw0:1 write ntb_ctrl[1].partition_op = 0x1 (op=LOCK)");
    EXPECT_EQ(line("gas_read ntb0: 0x016004 x size 4: 0x1"),
              "  0.500000 sw0:1 read  ntb_ctrl[1].partition_op = 0x1 (op=LOCK)");
}

TEST_F(TraceTextTest, NamesAreThoseOfTheSwitchesGeneration) {
    EXPECT_EQ(line("gas_read ntb1: 0x002018 x size 4: 0x1"),
              "  0.500000 sw1:5 read  sys_info.partition_id = 0x1");
}

TEST_F(TraceTextTest, DoorbellsAndMessagesAreRegistersOfTheEndpoint) {
    EXPECT_EQ(line("doorbell ntb0: rings 0x0000000000000010"),
              "  0.500000 sw0:1 doorbell ntb_dbmsg[1].odb = 0x10");
    EXPECT_EQ(line("message ntb0: sends message 0: 0x00000004"),
              "  0.500000 sw0:1 message ntb_dbmsg[1].omsg[0].msg = 0x4 (message=FORCE_DOWN)");
}

TEST_F(TraceTextTest, WindowsAreToldAsInspectDoes) {
    EXPECT_EQ(line("window_map ntb0: BAR2 0x10000 size 0x10000 -> partition 0 0x1234000"),
              "  0.500000 sw0:1 window open BAR2 +0x10000, 64K -> partition 0, bus address 0x1234000");
    EXPECT_EQ(line("window_access ntb0: read of unmapped BAR4 0x20 size 4"),
              "  0.500000 sw0:1 window read of unmapped BAR4 0x20 size 4");
}

TEST_F(TraceTextTest, WhatIsNotKnownIsPrintedAsItIs) {
    EXPECT_EQ(line("new ntb0: does 3 things"), "  0.500000 sw0:1 new does 3 things");
    EXPECT_EQ(line("reset ntb0"), "  0.500000 sw0:1 reset");
    EXPECT_EQ(line("reset ntb9"), "  0.500000 ntb9 reset");
    EXPECT_EQ(line("reset nothing"), "  0.500000 nothing reset");
}

TEST_F(TraceTextTest, JsonHasThePartsAndTheText) {
    const auto json = text_.json(event("gas_write ntb1: 0x003004 x size 4 = 0x1"));
    EXPECT_EQ(json.at("node"), "b");
    EXPECT_EQ(json.at("switch"), "sw1");
    EXPECT_EQ(json.at("partition"), 5);
    EXPECT_EQ(json.at("time"), 0.5);
    EXPECT_EQ(json.at("kind"), "register");
    EXPECT_EQ(json.at("event"), "gas_write");
    EXPECT_EQ(json.at("fields").at("offset"), "0x003004");
    const auto control = text_.json(event("gas_write ntb0: 0x016004 x size 4 = 0x1"));
    EXPECT_EQ(control.at("region"), "ntb_ctrl");
    EXPECT_EQ(control.at("block"), 1);
    EXPECT_EQ(control.at("register"), "partition_op");
    EXPECT_EQ(control.at("text"), "write ntb_ctrl[1].partition_op = 0x1 (op=LOCK)");
    EXPECT_FALSE(text_.json(event("reset ntb9")).contains("switch"));
}

}  // namespace
}  // namespace ntblab::lab
