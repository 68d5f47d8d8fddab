// SPDX-License-Identifier: MIT
#include "log_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>

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

TEST_F(LogFollowerTest, AMissingFileHasNoLines) {
    LogFollower follower = follow(0);
    follower.drain(true);
    EXPECT_THAT(lines_, ElementsAre());
}

}  // namespace
}  // namespace ntblab::lab
