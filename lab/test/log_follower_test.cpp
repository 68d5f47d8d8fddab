// SPDX-License-Identifier: MIT
#include "log_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <boost/asio/io_context.hpp>
#include <fstream>
#include <thread>

#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::ElementsAre;

class LogFollowerTest : public testing::Test {
  protected:
    void append(const std::string& text) const { std::ofstream(file_, std::ios::app) << text; }
    LogFollower follow(std::uint64_t offset) {
        return {io_.get_executor(), file_, offset,
                [this](const std::string& line) { lines_.push_back(line); }, [this] { removed_ = true; }};
    }
    TemporaryDir dir_;
    std::filesystem::path file_ = dir_.path() / "log";
    boost::asio::io_context io_;
    std::vector<std::string> lines_;
    bool removed_ = false;
};

TEST_F(LogFollowerTest, HandsOutWholeLinesFromTheOffsetOn) {
    append("one\ntwo\r\nthr");
    LogFollower follower = follow(4);
    follower.drain();
    EXPECT_THAT(lines_, ElementsAre("two"));
    append("ee\n");
    while (lines_.size() < 2) io_.run_one();
    EXPECT_THAT(lines_, ElementsAre("two", "three"));
}

TEST_F(LogFollowerTest, SeesTheFileGo) {
    append("last");
    LogFollower follower = follow(0);
    std::filesystem::remove(file_);
    while (!removed_) io_.run_one();
    EXPECT_THAT(lines_, ElementsAre("last"));
}

TEST_F(LogFollowerTest, ThatIsGoneBeforeTheLoopRunsDoesNothing) {
    append("x\n");
    { const LogFollower follower = follow(0); }
    append("y\n");
    io_.run();
    EXPECT_THAT(lines_, ElementsAre());
}

TEST_F(LogFollowerTest, AMissingFileHasNoLinesAndIsTakenForRemoved) {
    LogFollower follower = follow(0);
    follower.drain(true);
    EXPECT_FALSE(removed_);
    while (!removed_) io_.run_one();
    EXPECT_THAT(lines_, ElementsAre());
}

TEST_F(LogFollowerTest, AFileMadeAnewIsAnotherFile) {
    append("old\n");
    LogFollower follower = follow(0);
    std::filesystem::remove(file_);
    append("new\n");
    while (!removed_) io_.run_one();
    EXPECT_THAT(lines_, ElementsAre("old"));
}

// The moment between opening the file and watching it is the one that matters.
TEST_F(LogFollowerTest, SeesTheFileGoInAnyMomentOfItsStart) {
    for (int round = 0; round < 300; ++round) {
        removed_ = false;
        io_.restart();
        append("x\n");
        std::barrier start(2);
        std::jthread remover([&] {
            start.arrive_and_wait();
            std::filesystem::remove(file_);
        });
        start.arrive_and_wait();
        LogFollower follower = follow(0);
        while (!removed_) io_.run_one();
    }
}

}  // namespace
}  // namespace ntblab::lab
