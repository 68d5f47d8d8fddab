// SPDX-License-Identifier: MIT
#include <fabric/run_dir.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "cluster.h"
#include "driver.h"

namespace fabric::test {
namespace {

namespace fs = std::filesystem;

class RunDirTest : public ::testing::Test {
  protected:
    RunDirTest() {
        std::string pattern = fs::temp_directory_path() / "ntb-run-dir-XXXXXX";
        EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
        path_ = pattern;
    }
    ~RunDirTest() override { fs::remove_all(path_); }
    static unsigned mode(const std::string& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return status.st_mode & 07777;
    }
    std::string problem(const std::string& path) {
        auto taken = RunDir::take(path);
        return taken ? "" : taken.error().message;
    }
    std::string path_;
};

TEST_F(RunDirTest, IsMadePrivateWithAPrivateSocketThatGoesWithIt) {
    const std::string path = path_ + "/new";
    {
        auto run_dir = RunDir::take(path);
        ASSERT_TRUE(run_dir) << run_dir.error().message;
        EXPECT_EQ(mode(path), 0700U);
        EXPECT_EQ(mode(run_dir->socket_path()), 0600U);
    }
    EXPECT_FALSE(fs::exists(path + "/fabric.sock"));
}

TEST_F(RunDirTest, SecondFabricIsToldThePidOfTheFirst) {
    auto first = RunDir::take(path_);
    ASSERT_TRUE(first);
    EXPECT_NE(problem(path_).find("pid " + std::to_string(::getpid())), std::string::npos) << problem(path_);
    EXPECT_TRUE(fs::exists(first->socket_path()));
}

TEST_F(RunDirTest, SocketThatAKilledFabricLeftIsReplaced) {
    Cluster cluster(2);
    fs::copy(cluster.run_dir(), path_,
             fs::copy_options::update_existing | fs::copy_options::skip_symlinks |
                 fs::copy_options::directories_only);
    cluster.end(SIGKILL);
    ASSERT_TRUE(fs::exists(cluster.socket()));
    EXPECT_EQ(problem(cluster.run_dir()), "");
}

TEST_F(RunDirTest, DirectoryThatOthersMayEnterIsRefused) {
    fs::permissions(path_, fs::perms::owner_all | fs::perms::others_exec);
    EXPECT_NE(problem(path_).find("mode 0701"), std::string::npos) << problem(path_);
}

TEST_F(RunDirTest, FileInItsPlaceIsRefused) {
    const std::string file = path_ + "/file";
    std::ofstream(file) << "x";
    EXPECT_NE(problem(file).find("is not a directory"), std::string::npos);
}

TEST_F(RunDirTest, PathTooLongForASocketIsRefused) {
    EXPECT_NE(problem(path_ + "/" + std::string(120, 'x')).find("shorter run directory"), std::string::npos);
}

TEST_F(RunDirTest, SignalsEndTheFabricInOrder) {
    for (const int signal : {SIGTERM, SIGINT}) {
        Cluster cluster(2);
        const int status = cluster.end(signal);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
        EXPECT_FALSE(fs::exists(cluster.socket()));
    }
}

TEST_F(RunDirTest, TwoSwitchesOfOneNameAreRefused) {
    FabricConfig config = star(2);
    config.switches.push_back(config.switches[0]);
    EXPECT_THROW(Cluster{config}, std::runtime_error);
}

}  // namespace
}  // namespace fabric::test
