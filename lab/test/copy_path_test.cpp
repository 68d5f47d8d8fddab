// SPDX-License-Identifier: MIT
#include "copy_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace ntblab::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CopyPath, OfANodeHasItsNameBeforeAColon) {
    for (const auto& [text, node, path] :
         std::vector<std::array<const char*, 3>>{{"a:/tmp/x", "a", "/tmp/x"},
                                                 {"pair/a:/x:y", "pair/a", "/x:y"},
                                                 {"a:", "a", ""},
                                                 {"/tmp/a:b", "", "/tmp/a:b"},
                                                 {"./a:b", "", "./a:b"},
                                                 {"x/y/z:b", "", "x/y/z:b"},
                                                 {"a", "", "a"},
                                                 {":x", "", ":x"}}) {
        const CopyPath parsed = parse_copy_path(text);
        EXPECT_EQ(parsed.node, node) << text;
        EXPECT_EQ(parsed.path, path) << text;
    }
}

TEST(CopyPlan, GoesOneWayOrTheOther) {
    const auto to = plan_copy({"x", "y", "a:/tmp"}).value();
    EXPECT_TRUE(to.to_node);
    EXPECT_EQ(to.node, "a");
    EXPECT_THAT(to.sources, ElementsAre("x", "y"));
    EXPECT_EQ(to.target, "/tmp");
    const auto from = plan_copy({"a:/x", "a:/y", "."}).value();
    EXPECT_FALSE(from.to_node);
    EXPECT_EQ(from.node, "a");
    EXPECT_THAT(from.sources, ElementsAre("/x", "/y"));
}

TEST(CopyPlan, RefusesWhatScpWouldMisunderstand) {
    EXPECT_THAT(plan_copy({"x", "y"}).error().message, HasSubstr("neither 'x' nor 'y' is of a node"));
    EXPECT_THAT(plan_copy({"a:x", "b:y"}).error().message, HasSubstr("ntblab exec a -- scp"));
    EXPECT_THAT(plan_copy({"a:x", "b:y", "."}).error().message, HasSubstr("of different nodes"));
}

}  // namespace
}  // namespace ntblab::lab
