// SPDX-License-Identifier: MIT
// The topologies of this folder load without a warning; a pair stays small.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "topology/topology.h"

namespace ntblab::topology {
namespace {

TEST(Shipped, LoadWithoutAWarning) {
    unsigned count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TOPOLOGIES_DIR)) {
        if (entry.path().extension() != ".yaml") continue;
        const auto topology = load(entry.path());
        ASSERT_TRUE(topology) << topology.error().message;
        EXPECT_THAT(topology->warnings, testing::IsEmpty());
        EXPECT_EQ(topology->name, entry.path().stem()) << "a file is named after its cluster";
        ++count;
    }
    EXPECT_GE(count, 5U);
}

TEST(Shipped, APairIsUnderTenLines) {
    std::ifstream file(std::string(TOPOLOGIES_DIR) + "/pair.yaml");
    std::string line;
    unsigned lines = 0;
    while (std::getline(file, line)) ++lines;
    EXPECT_GT(lines, 3U);
    EXPECT_LT(lines, 10U);
}

}  // namespace
}  // namespace ntblab::topology
