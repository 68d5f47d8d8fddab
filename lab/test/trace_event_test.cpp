// SPDX-License-Identifier: MIT
#include "trace_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>

namespace ntblab::lab {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

/// The shape of an event as QEMU declares it: NAME(ARGUMENTS) "FORMAT".
std::string shape_of(std::string arguments, std::string format) {
    format = std::regex_replace(format, std::regex("\"PRI(.)64\"?"), "$1");  // "%"PRIx64" " -> "%x "
    format = std::regex_replace(format, std::regex("^\"%s(: )?|\"$"), "");
    arguments = std::regex_replace(arguments, std::regex("^[^,]*,? ?"), "");  // the device's id
    std::string result;
    while (!format.empty()) {
        static const std::regex kConversion("%0?[0-9]*z?([usdx])");
        std::smatch found;
        if (!std::regex_search(format, found, kConversion)) return result + format;
        result += found.prefix();
        const std::string argument = arguments.substr(0, arguments.find(','));
        arguments.erase(0, argument.size() + 2);
        result +=
            "{" + std::regex_replace(argument, std::regex(".*[ *]"), "") + (found[1] == "x" ? ":x}" : "}");
        format = found.suffix();
    }
    return result;
}

TEST(TraceEvent, ShapesAreThoseThatTheDeviceDeclares) {
    std::ifstream file(TRACE_EVENTS);
    std::map<std::string, std::string> declared;
    const std::regex kDeclaration(R"re(switchtec_(?:ntb_)?(\w+)\((.*)\) (".*))re");
    for (std::string line; std::getline(file, line);) {
        std::smatch found;
        if (std::regex_match(line, found, kDeclaration)) declared[found[1]] = shape_of(found[2], found[3]);
    }
    ASSERT_FALSE(declared.empty());
    std::map<std::string, std::string> known;
    for (const TraceShape& shape : trace_shapes()) known[std::string(shape.name)] = shape.format;
    EXPECT_EQ(known, declared);
}

TEST(TraceEvent, ALineIsTakenApart) {
    const auto event = parse_trace_line(
        "4711@1700000000.000123:switchtec_ntb_gas_write ntb1: 0x016004 ntb_ctrl[1].partition_op size 4 = "
        "0x1");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->microseconds, 1'700'000'000'000'123);
    EXPECT_EQ(event->name, "gas_write");
    EXPECT_EQ(event->kind, "register");
    EXPECT_EQ(event->device, "ntb1");
    EXPECT_THAT(event->fields,
                UnorderedElementsAre(Pair("offset", "0x016004"), Pair("name", "ntb_ctrl[1].partition_op"),
                                     Pair("size", "4"), Pair("value", "0x1")));
    EXPECT_EQ(event->number("offset"), 0x16004U);
    EXPECT_EQ(event->number("size"), 4U);
    EXPECT_EQ(event->number("name"), 0U);
    EXPECT_EQ(event->number("none"), 0U);
}

TEST(TraceEvent, AccessesToTheFirmwaresRegistersAreOfAKindOfTheirOwn) {
    const auto event =
        parse_trace_line("1@2.000003:switchtec_ntb_gas_write ntb0: 0x000800 mrpc.cmd size 4 = 0x1c");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, "mrpc");
}

TEST(TraceEvent, AnEventWithoutTextIsOne) {
    const auto event = parse_trace_line("1@2.000003:switchtec_ntb_reset ntb0");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->name, "reset");
    EXPECT_EQ(event->device, "ntb0");
    EXPECT_EQ(event->text, "");
}

TEST(TraceEvent, AnUnknownEventKeepsItsText) {
    for (const std::string line : {"1@2.000003:switchtec_ntb_new ntb0: does 3 things",
                                   "1@2.000003:switchtec_ntb_doorbell ntb0: does 3 things"}) {
        const auto event = parse_trace_line(line);
        ASSERT_TRUE(event);
        EXPECT_EQ(event->kind, "device");
        EXPECT_EQ(event->text, "does 3 things");
        EXPECT_TRUE(event->fields.empty());
    }
}

TEST(TraceEvent, OtherLinesAreNone) {
    for (const char* line : {"", "hello", "1@2.000003:pci_cfg_read x", "1@2:switchtec_ntb_reset ntb0",
                             "switchtec_ntb_reset ntb0", "@.:switchtec_ntb_reset"})
        EXPECT_FALSE(parse_trace_line(line)) << line;
}

TEST(TraceEvent, OnlyWhatIsNeededIsSwitchedOn) {
    EXPECT_THAT(trace_events_for(trace_kinds()), ElementsAre("switchtec_ntb_*", "switchtec_dma_*"));
    EXPECT_THAT(trace_events_for({"doorbell"}), ElementsAre("switchtec_ntb_doorbell"));
    EXPECT_THAT(trace_events_for({"mrpc"}),
                ElementsAre("switchtec_ntb_gas_read", "switchtec_ntb_gas_write", "switchtec_ntb_dma_write"));
}

}  // namespace
}  // namespace ntblab::lab
