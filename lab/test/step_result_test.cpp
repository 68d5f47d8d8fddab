// SPDX-License-Identifier: MIT
#include "step_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

namespace ntblab::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Judge, LooksAtTheExitCode) {
    topology::Step step;
    EXPECT_THAT(judge(step, 0, "anything"), IsEmpty());
    EXPECT_THAT(judge(step, 2, ""), ElementsAre("exit code 2, expected 0"));
    step.exit_code = 2;
    EXPECT_THAT(judge(step, 2, ""), IsEmpty());
    EXPECT_THAT(judge(step, 0, ""), ElementsAre("exit code 0, expected 2"));
}

TEST(Judge, ComparesTheWholeOutputButForTheLastNewline) {
    topology::Step step;
    step.exact = "a\nb";
    EXPECT_THAT(judge(step, 0, "a\nb\n"), IsEmpty());
    EXPECT_THAT(judge(step, 0, "a\nb"), IsEmpty());
    EXPECT_THAT(judge(step, 0, "a\nb\n\n"), ElementsAre("output is 'a\\nb\\n', expected 'a\\nb'"));
    step.exact = "a\n";
    EXPECT_THAT(judge(step, 0, "a\n"), IsEmpty());
}

TEST(Judge, LooksForAPart) {
    topology::Step step;
    step.contains = "b c";
    EXPECT_THAT(judge(step, 0, "a b c d"), IsEmpty());
    EXPECT_THAT(judge(step, 0, "a b  c"), ElementsAre("output is 'a b  c', which does not contain 'b c'"));
}

TEST(Judge, RegularExpressionsSeeLines) {
    topology::Step step;
    step.regex = "^b+$";
    EXPECT_THAT(judge(step, 0, "a\nbbb\nc\n"), IsEmpty());
    EXPECT_THAT(judge(step, 0, "abc\n"),
                ElementsAre("output is 'abc', in which the regular expression '^b+$' finds nothing"));
    EXPECT_THAT(judge(step, 0, std::string(5 << 20, 'x') + "\nb\n"), IsEmpty());
}

TEST(Judge, SaysAllThatIsWrong) {
    topology::Step step;
    step.exact = "x";
    step.regex = "y";
    EXPECT_EQ(judge(step, 1, "z").size(), 3U);
}

TEST(Junit, IsXmlThatCountsAndTells) {
    std::vector<StepResult> results(3);
    results[0] = {.name = "good <&>", .node = "a", .seconds = 1.5};
    results[1] = {
        .name = "bad", .node = "b", .output = std::string("x\x01\xff\0y", 5), .complaints = {"one", "two"}};
    results[2] = {.name = "worse", .node = "b", .broken = "the connection broke"};
    std::istringstream text(junit_report("pair", results));
    boost::property_tree::ptree document;
    boost::property_tree::read_xml(text, document);
    const auto& suite = document.get_child("testsuites.testsuite");
    EXPECT_EQ(suite.get<int>("<xmlattr>.tests"), 3);
    EXPECT_EQ(suite.get<int>("<xmlattr>.failures"), 1);
    EXPECT_EQ(suite.get<int>("<xmlattr>.errors"), 1);
    auto entry = suite.begin();
    ++entry;  // attributes come first
    EXPECT_EQ(entry->second.get<std::string>("<xmlattr>.name"), "good <&>");
    EXPECT_EQ(entry->second.get<std::string>("<xmlattr>.classname"), "pair.a");
    EXPECT_EQ(entry->second.count("failure") + entry->second.count("error"), 0U);
    ++entry;
    EXPECT_EQ(entry->second.get<std::string>("failure"), "one\ntwo");
    EXPECT_EQ(entry->second.get<std::string>("system-out"), "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy");
    ++entry;
    EXPECT_EQ(entry->second.get<std::string>("error.<xmlattr>.message"), "the connection broke");
}

}  // namespace
}  // namespace ntblab::lab
