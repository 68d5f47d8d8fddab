// SPDX-License-Identifier: MIT
#include "boot_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <fstream>

#include "process.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::seconds kLong{600};

class BootWatchTest : public testing::Test {
  protected:
    BootWatchTest() {
        for (const auto& file : {files_.status_log(), files_.console_log()}) std::ofstream(file).flush();
    }
    static void append(const std::filesystem::path& file, const std::string& text) {
        std::ofstream(file, std::ios::app) << text;
    }
    /// While the watch waits.
    void later(const std::filesystem::path& file, const std::string& text) {
        boost::asio::post(io_, [=] { append(file, text); });
    }
    TemporaryDir dir_;
    NodePaths files_{dir_.path()};
    boost::asio::io_context io_;
    Progress progress_{"test"};
    BootWatch watch_{io_, progress_};
};

TEST_F(BootWatchTest, EndsWhenTheNodeIsReady) {
    watch_.add("a", files_, 1);
    later(files_.status_log(), "userspace\nssh\nlink-up x\n");
    EXPECT_THAT(watch_.wait(kLong), IsEmpty());
}

TEST_F(BootWatchTest, LooksOnlyAtThisBoot) {
    append(files_.status_log(), "userspace\nssh\n");
    append(files_.console_log(), "Kernel panic - not syncing: the last time\n");
    watch_.add("a", files_, 0);
    const auto failures = watch_.wait(std::chrono::seconds(1));
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_THAT(failures[0].what, HasSubstr("node 'a' is not ready after 1 s: booting"));
}

TEST_F(BootWatchTest, EndsWhenAModuleDoesNotLoad) {
    watch_.add("a", files_, 1);
    later(files_.status_log(), "userspace\ndrivers-failed ntb_netdev\n");
    const auto failures = watch_.wait(kLong);
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_THAT(failures[0].what, HasSubstr("ntb_netdev could not be loaded"));
}

TEST_F(BootWatchTest, EndsWhenTheKernelPanics) {
    watch_.add("a", files_, 1);
    later(files_.console_log(), "[1.0] Kernel panic - not syncing: no init\r\n");
    const auto failures = watch_.wait(kLong);
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_THAT(failures[0].what, HasSubstr("its kernel panicked"));
}

TEST_F(BootWatchTest, EndsWhenQemuEnds) {
    auto qemu = spawn({.arguments = {"true"}});
    watch_.add("a", files_, 1);
    watch_.add_qemu("a", files_, qemu->pidfd());
    const auto failures = watch_.wait(kLong);
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_THAT(failures[0].what, HasSubstr("QEMU of node 'a' ended"));
    EXPECT_EQ(failures[0].evidence, files_.qemu_log());
    qemu->wait();
}

TEST_F(BootWatchTest, EndsWhenSomeoneStopsTheLoop) {
    watch_.add("a", files_, 1);
    boost::asio::post(io_, [this] { io_.stop(); });
    EXPECT_THAT(watch_.wait(kLong), IsEmpty());
}

}  // namespace
}  // namespace ntblab::lab
