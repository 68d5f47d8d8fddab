// SPDX-License-Identifier: MIT
#include "strays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "process.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Child marked(const std::string& dir, const std::string& script = "exec sleep 1000") {
    return spawn({.arguments = {"sh", "-c", script}, .environment = {"NTBLAB_CLUSTER_DIR=" + dir}}).value();
}

TEST(Strays, AreFoundByTheirMark) {
    const TemporaryDir dir;
    const std::string mark = dir.path() / "pair";
    Child child = marked(mark);
    EXPECT_THAT(marked_processes()[mark], ElementsAre(child.id()));
    child.signal(SIGKILL);
    child.wait();
    EXPECT_THAT(marked_processes()[mark], IsEmpty());
}

TEST(Strays, OfAnotherClusterAreLeftAlone) {
    const TemporaryDir dir;
    Child one = marked(dir.path() / "pair");
    Child other = marked(dir.path() / "pair2");
    EXPECT_THAT(end_cluster_processes(dir.path() / "pair"), IsEmpty());
    EXPECT_FALSE(is_alive(one.id()));
    EXPECT_TRUE(is_alive(other.id()));
    other.signal(SIGKILL);
    other.wait();
}

TEST(Strays, AreEndedWithTheirOffspring) {
    const TemporaryDir dir;
    const std::string mark = dir.path() / "pair";
    // A process that starts another one just before it ends, in a session of its own.
    Child child = marked(mark, "trap 'setsid sleep 1000 & exit' TERM; while :; do sleep 0.01; done");
    EXPECT_THAT(end_cluster_processes(mark), IsEmpty());
    EXPECT_THAT(marked_processes()[mark], IsEmpty());
    EXPECT_FALSE(is_alive(child.id()));
}

}  // namespace
}  // namespace ntblab::lab
