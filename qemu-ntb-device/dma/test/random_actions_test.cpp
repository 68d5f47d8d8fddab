// SPDX-License-Identifier: MIT
// The fuzzer's actions, from random bytes of fixed seeds.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "actions.h"

namespace switchtec::dma::test {
namespace {

TEST(RandomActions, BreakNoInvariant) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::uint8_t> bytes(2000);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        ASSERT_EQ(run_actions(bytes), "") << "seed " << seed;
    }
}

}  // namespace
}  // namespace switchtec::dma::test
