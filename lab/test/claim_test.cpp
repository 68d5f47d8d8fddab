// SPDX-License-Identifier: MIT
#include "claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "process.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;

class Claim : public testing::Test {
  protected:
    Child marked_process() const {
        return spawn({.arguments = {"sleep", "1000"},
                      .environment = {"NTBLAB_CLUSTER_DIR=" + paths_.dir.string()}})
            .value();
    }
    void end(Child& child) const {
        child.signal(SIGKILL);
        child.wait();
    }
    TemporaryDir dir_;
    ClusterPaths paths_{dir_.path() / "pair"};
};

TEST_F(Claim, MakesTheDirectory) {
    EXPECT_TRUE(claim_new(paths_));
    EXPECT_TRUE(std::filesystem::is_directory(paths_.dir));
}

TEST_F(Claim, IsRefusedWhileTheClusterIsUpAndTouchesNothing) {
    ASSERT_TRUE(claim_new(paths_));
    ClusterState state;
    state.ready = true;
    ASSERT_TRUE(save_state(paths_, state));
    Child qemu = marked_process();
    const auto second = claim_new(paths_);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message,
                HasSubstr("cluster 'pair' is already up; `ntblab down pair` ends it"));
    EXPECT_TRUE(is_alive(qemu.id()));
    EXPECT_TRUE(load_state(paths_));
    end(qemu);
}

TEST_F(Claim, IsRefusedWhileAnotherIsAtIt) {
    const auto first = claim_new(paths_);
    ClusterState state;
    take_hold(state, "up");
    ASSERT_TRUE(save_state(paths_, state));
    EXPECT_THAT(claim_new(paths_).error().message, HasSubstr("is in use: process"));
}

TEST_F(Claim, OfAHalfStartedOneSaysWhatToDo) {
    ASSERT_TRUE(claim_new(paths_));
    Child qemu = marked_process();
    EXPECT_THAT(claim_new(paths_).error().message, HasSubstr("half started; `ntblab down pair`"));
    end(qemu);
}

TEST_F(Claim, TakesOverFilesThatNoProcessUses) {
    ASSERT_TRUE(claim_new(paths_));
    std::ofstream(paths_.state()) << "old";
    EXPECT_TRUE(claim_new(paths_));
    EXPECT_FALSE(std::filesystem::exists(paths_.state()));
}

TEST_F(Claim, ToEndStopsWhoeverStartsIt) {
    std::filesystem::create_directory(paths_.dir);
    // Locks like a starter: in its own process, with no child that shares the lock.
    auto starter =
        spawn({.arguments = {"sh", "-c", "exec 9<" + paths_.dir.string() + "; flock 9; exec sleep 1000"}})
            .value();
    while (DirectoryLock::try_lock(paths_.dir)) ::usleep(1000);
    ClusterState state;
    state.activity = "up";
    state.holder = starter.id();
    ASSERT_TRUE(save_state(paths_, state));
    EXPECT_TRUE(claim_to_end(paths_));
    EXPECT_FALSE(is_alive(starter.id()));
}

TEST_F(Claim, OfAMissingClusterIsNone) {
    EXPECT_FALSE(claim_to_end(paths_));
    EXPECT_THAT(claim_existing(paths_).error().message, HasSubstr("there is no cluster 'pair'"));
}

}  // namespace
}  // namespace ntblab::lab
