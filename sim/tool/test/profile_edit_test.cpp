// SPDX-License-Identifier: MIT
#include "calibration/profile_edit.h"

#include <gmock/gmock.h>

namespace ntblab::sim {
namespace {

using testing::HasSubstr;

const std::string kText =
    "# a comment\n"
    "description: x\n"
    "parameters:\n"
    "  dma.start: {value: 40, status: assumed, source: \"a } in \\\"quotes\\\"\"}  # kept\n"
    "\n"
    "  hop.latency: {value: 20, status: assumed, source: y}\n";

TEST(ProfileEdit, ChangesOnlyWhatItIsToChange) {
    const auto text = with_parameters(kText, "p.yaml", {{"dma.start", 61.5, "fitted", "a \"b\""}});
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text,
              "# a comment\n"
              "description: x\n"
              "parameters:\n"
              "  dma.start: {value: 61.5, status: fitted, source: \"a \\\"b\\\"\"}  # kept\n"
              "\n"
              "  hop.latency: {value: 20, status: assumed, source: y}\n");
}

TEST(ProfileEdit, AddsAtTheEndWhatIsNotThere) {
    const auto text = with_parameters(kText, "p.yaml", {{"dma.gap", 5, "fitted", "z"}});
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, kText + "  dma.gap: {value: 5, status: fitted, source: \"z\"}\n");
    EXPECT_EQ(*with_parameters(*text, "p.yaml", {{"dma.gap", 5, "fitted", "z"}}), *text);
}

TEST(ProfileEdit, SaysWhereItCannot) {
    const auto block =
        with_parameters("parameters:\n  dma.gap:\n    value: 1\n", "p.yaml", {{"dma.gap", 5, "fitted", "z"}});
    ASSERT_FALSE(block);
    EXPECT_THAT(block.error().message, HasSubstr("p.yaml:3:5: dma.gap is not written as {value: "));
    const auto flow = with_parameters("parameters: {}\n", "p.yaml", {{"dma.gap", 5, "fitted", "z"}});
    ASSERT_FALSE(flow);
    EXPECT_THAT(flow.error().message, HasSubstr("no parameters in lines of their own"));
    const auto broken = with_parameters("a: [\n", "p.yaml", {});
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message, HasSubstr("not YAML"));
}

}  // namespace
}  // namespace ntblab::sim
