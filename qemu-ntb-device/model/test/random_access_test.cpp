// SPDX-License-Identifier: MIT
// Random actions of three hosts never break an invariant.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "actions.h"

namespace switchtec::test {
namespace {

class RandomAccess : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomAccess, KeepsTheInvariants) {
    std::mt19937 random(GetParam());
    std::vector<std::uint8_t> bytes(12'000);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    EXPECT_EQ(run_actions(bytes), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomAccess, ::testing::Range(1U, 21U));

}  // namespace
}  // namespace switchtec::test
