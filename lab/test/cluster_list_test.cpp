// SPDX-License-Identifier: MIT
#include "cluster_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;

class ClusterList : public testing::Test {
  protected:
    ClusterList() { ::setenv("NTBLAB_RUN_DIR", dir_.path().c_str(), 1); }
    ~ClusterList() override { ::unsetenv("NTBLAB_RUN_DIR"); }
    void add(const std::string& name, const std::vector<std::string>& nodes) const {
        const ClusterPaths paths{dir_.path() / name};
        std::filesystem::create_directory(paths.dir);
        ClusterState state;
        for (const std::string& node : nodes) state.nodes.push_back({.name = node});
        ASSERT_TRUE(save_state(paths, state));
    }
    TemporaryDir dir_;
};

TEST_F(ClusterList, ANodeIsFoundByItsNameAlone) {
    add("one", {"a", "b"});
    add("two", {"c"});
    EXPECT_EQ(find_node("c")->paths.name(), "two");
    EXPECT_EQ(find_node("one/a")->name, "a");
}

TEST_F(ClusterList, ANameInSeveralClustersNeedsTheCluster) {
    add("one", {"a", "x"});
    add("two", {"a"});
    EXPECT_THAT(find_node("a").error().message, HasSubstr("write one of one/a, two/a"));
    EXPECT_EQ(find_node("two/a")->paths.name(), "two");
}

TEST_F(ClusterList, WhatIsNotThereIsAnErrorThatSaysWhatIs) {
    EXPECT_THAT(find_node("a").error().message, HasSubstr("no node is up"));
    add("one", {"a"});
    EXPECT_THAT(find_node("b").error().message, HasSubstr("there is no node 'b' (up: one/a)"));
    EXPECT_THAT(find_node("other/a").error().message, HasSubstr("there is no cluster 'other' (up: one)"));
    EXPECT_THAT(find_node("one/b").error().message, HasSubstr("up: one/a"));
}

TEST_F(ClusterList, TheOnlyClusterNeedsNoName) {
    EXPECT_THAT(find_cluster("").error().message, HasSubstr("no cluster is up"));
    add("one", {"a"});
    EXPECT_EQ(find_cluster("")->paths.name(), "one");
    add("two", {"a"});
    EXPECT_THAT(find_cluster("").error().message, HasSubstr("which cluster? up: one, two"));
}

TEST_F(ClusterList, AnAbandonedClusterIsBroken) {
    add("one", {"a"});
    EXPECT_EQ(condition_of(*find_cluster("one")), "broken");
}

}  // namespace
}  // namespace ntblab::lab
