// SPDX-License-Identifier: MIT
#include "config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace ntblab::guest {
namespace {

using Words = std::vector<std::string>;

TEST(GuestConfig, ReadsWhatTheHostWrites) {
    const auto config = parse_config(
        "NTBLAB_CLUSTER='pair'\n"
        "NTBLAB_NODE='a'\n"
        "NTBLAB_INDEX='1'\n"
        "NTBLAB_ADDRESSES='10.77.0.1/24 10.77.1.1/24'\n"
        "NTBLAB_LAN_ADDRESS='10.78.0.1/24'\n"
        "NTBLAB_RDMA_ADDRESS='10.80.0.1/24'\n"
        "NTBLAB_NETWORKS='10.78.0.0/16 10.77.0.0/16'\n"
        "NTBLAB_MODULES='ntb_perf ntb_hw_switchtec'\n"
        "NTBLAB_SHARE='ntblab.share'\n");
    EXPECT_EQ(config.cluster, "pair");
    EXPECT_EQ(config.node, "a");
    EXPECT_EQ(config.addresses, (Words{"10.77.0.1/24", "10.77.1.1/24"}));
    EXPECT_EQ(config.lan_address, "10.78.0.1/24");
    EXPECT_EQ(config.rdma_address, "10.80.0.1/24");
    EXPECT_EQ(config.networks, (Words{"10.78.0.0/16", "10.77.0.0/16"}));
    EXPECT_EQ(config.modules, (Words{"ntb_perf", "ntb_hw_switchtec"}));
    EXPECT_EQ(config.share, "ntblab.share");
}

TEST(GuestConfig, WithoutModulesLoadsTheNtbDriverAndItsNetwork) {
    EXPECT_EQ(parse_config("").modules, (Words{"ntb_transport", "ntb_hw_switchtec", "ntb_netdev"}));
}

TEST(GuestConfig, EmptyModulesMeanNone) {
    EXPECT_TRUE(parse_config("NTBLAB_MODULES=''\n").modules.empty());
}

TEST(GuestConfig, AGuestThatIsToldNothingHasANameAllTheSame) {
    EXPECT_EQ(parse_config("").node, "guest");
}

TEST(GuestConfig, UnquotesAsAShellWould) {
    EXPECT_EQ(parse_config("NTBLAB_NODE=plain\n").node, "plain");
    EXPECT_EQ(parse_config("NTBLAB_CLUSTER='it'\\''s'\n").cluster, "it's");
    EXPECT_EQ(parse_config("NTBLAB_CLUSTER='a=b c'\n").cluster, "a=b c");
}

TEST(GuestConfig, LeavesCommentsAndUnknownKeysAlone) {
    EXPECT_EQ(parse_config("# NTBLAB_NODE='x'\nOTHER='y'\nnonsense\nNTBLAB_NODE='a'").node, "a");
}

TEST(GuestFiles, AreWrittenWithThePermissionsAskedFor) {
    const auto path = std::filesystem::path(testing::TempDir()) / "guest-init-file";
    ASSERT_TRUE(write_file(path, "secret", 0600));
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    EXPECT_EQ(read_file(path), "secret");
    std::filesystem::remove(path);
    EXPECT_EQ(read_file(path), "");
}

}  // namespace
}  // namespace ntblab::guest
