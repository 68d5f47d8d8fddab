// SPDX-License-Identifier: MIT
// The `validate` section.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/topology.h"

namespace ntblab::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Topology> with(const std::string& steps) {
    return parse("name: p\nnodes: {a: {}, b: {}}\nvalidate: [" + steps + "]\n", "t.yaml");
}

std::string refused(const std::string& steps) {
    const auto result = with(steps);
    EXPECT_FALSE(result) << steps;
    return result ? "" : result.error().message;
}

TEST(Validate, AStepHasDefaults) {
    const Step step = with("{node: b, command: 'echo hi | wc'}").value().validate.at(0);
    EXPECT_EQ(step.node, 1U);
    EXPECT_THAT(step.words, ElementsAre("sh", "-c", "echo hi | wc"));
    EXPECT_EQ(step.name, "b: echo hi | wc");
    EXPECT_EQ(with("{node: b, command: [cat, x]}").value().validate.at(0).name, "b: cat x");
    EXPECT_EQ(step.exit_code, 0);
    EXPECT_EQ(step.timeout, 60U);
    EXPECT_FALSE(step.exact || step.contains || step.regex);
}

TEST(Validate, AStepSaysWhatIsExpected) {
    const Step step = with(
                          "{name: n, node: a, command: [printf, '%s', 'a b'], exit-code: 3, timeout: 5, "
                          "output: {exact: x, contains: y, regex: '^z+$'}}")
                          .value()
                          .validate.at(0);
    EXPECT_EQ(step.name, "n");
    EXPECT_THAT(step.words, ElementsAre("printf", "%s", "a b"));
    EXPECT_EQ(step.exit_code, 3);
    EXPECT_EQ(step.timeout, 5U);
    EXPECT_EQ(step.exact, "x");
    EXPECT_EQ(step.contains, "y");
    EXPECT_EQ(step.regex, "^z+$");
}

TEST(Validate, WhatIsWrongIsSaid) {
    EXPECT_EQ(refused("{command: x}"), "t.yaml:3:12: validate[0] has no 'node'; add it");
    EXPECT_EQ(refused("{node: a}"), "t.yaml:3:12: validate[0] has no 'command'; add it");
    EXPECT_EQ(refused("{node: c, command: x}"),
              "t.yaml:3:19: validate[0] is for the unknown node 'c'; add it to 'nodes'");
    EXPECT_THAT(refused("{node: a, command: x, exitcode: 1}"), HasSubstr("did you mean 'exit-code'?"));
    EXPECT_THAT(refused("{node: a, command: x, exit-code: 256}"), HasSubstr("expected 0 to 255"));
    EXPECT_THAT(refused("{node: a, command: x, timeout: 0}"), HasSubstr("expected 1 to 86400"));
    EXPECT_THAT(refused("{node: a, command: x, output: x}"), HasSubstr("expected a mapping"));
    EXPECT_THAT(refused("{node: a, command: x, output: {}}"), HasSubstr("expected exact, contains or regex"));
    EXPECT_THAT(
        refused("{node: a, command: x, output: {regex: '('}}"),
        HasSubstr("regex of output of validate[0] is '(', which is no POSIX extended regular expression: "));
    EXPECT_THAT(refused("{node: a, command: []}"), HasSubstr("has 0 items"));
    EXPECT_THAT(refused("{node: a, command: [1]}"),
                HasSubstr("a word of command of validate[0] is the number 1"));
    EXPECT_THAT(refused(""), HasSubstr("'validate' has 0 items"));
}

}  // namespace
}  // namespace ntblab::topology
