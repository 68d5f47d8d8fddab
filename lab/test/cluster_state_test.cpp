// SPDX-License-Identifier: MIT
#include "cluster_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;

TEST(ClusterState, IsReadBackAsItWasWritten) {
    const TemporaryDir dir;
    const ClusterPaths paths{dir.path()};
    ClusterState state;
    state.topology = "x.yaml";
    state.ready = true;
    state.share = "/home/u";
    state.fabric = {12, 34};
    state.nodes.push_back({"a", 1, {56, 78}, 4022, "10.77.0.1", ""});
    ASSERT_TRUE(save_state(paths, state));
    const auto read = load_state(paths);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->topology, "x.yaml");
    EXPECT_TRUE(read->ready);
    EXPECT_EQ(read->share, "/home/u");
    EXPECT_EQ(read->fabric, (ProcessId{12, 34}));
    ASSERT_NE(read->find("a"), nullptr);
    EXPECT_EQ(read->find("a")->qemu, (ProcessId{56, 78}));
    EXPECT_EQ(read->find("a")->ssh_port, 4022U);
    EXPECT_EQ(read->find("b"), nullptr);
}

TEST(ClusterState, ThatIsDamagedIsAnErrorWithAWayOut) {
    const TemporaryDir dir;
    const ClusterPaths paths{dir.path()};
    for (const char* text : {"", "{", "[]", "{\"ready\": 1}"}) {
        ASSERT_TRUE(write_file(paths.state(), text));
        const auto read = load_state(paths);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().message, HasSubstr("run `ntblab down"));
    }
}

}  // namespace
}  // namespace ntblab::lab
