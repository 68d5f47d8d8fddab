// SPDX-License-Identifier: MIT
#include "cluster_end.h"

#include <gtest/gtest.h>

#include <csignal>

#include "cluster_state.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

class ClusterEndTest : public testing::Test {
  protected:
    static Child start() { return spawn({.arguments = {"sleep", "1000"}}).value(); }
    static void kill(Child& child) {
        child.signal(SIGKILL);
        child.wait();
    }
    void save() { ASSERT_TRUE(save_state(paths_, state_)); }

    TemporaryDir dir_;
    ClusterPaths paths_{dir_.path()};
    ClusterState state_;
    boost::asio::io_context io_;
    bool ended_ = false;
};

TEST_F(ClusterEndTest, ComesWithTheLastProcess) {
    Child fabric = start();
    Child first = start();
    state_.fabric = fabric.id();
    state_.nodes = {{.name = "a", .qemu = first.id()}};
    save();
    const ClusterEnd end(io_, paths_, [this] { ended_ = true; });

    kill(first);  // and started again, unseen by whoever waits
    Child second = start();
    state_.nodes[0].qemu = second.id();
    save();
    kill(fabric);
    io_.run_one();
    EXPECT_FALSE(ended_);
    kill(second);
    io_.run_one();
    EXPECT_TRUE(ended_);
}

TEST_F(ClusterEndTest, IsToldOfWhatHasEndedBefore) {
    Child fabric = start();
    state_.fabric = fabric.id();
    save();
    kill(fabric);
    const ClusterEnd end(io_, paths_, [this] { ended_ = true; });
    EXPECT_TRUE(ended_);
}

TEST_F(ClusterEndTest, IsNotThatOfTheMachinesWhereThereIsNoFabric) {
    Child machine = start();
    state_.nodes = {{.name = "a", .qemu = machine.id()}};
    save();
    kill(machine);
    const ClusterEnd end(io_, paths_, [this] { ended_ = true; });
    io_.run();
    EXPECT_FALSE(ended_);
}

}  // namespace
}  // namespace ntblab::lab
