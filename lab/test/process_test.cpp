// SPDX-License-Identifier: MIT
#include "process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "files.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string output_of(const SpawnOptions& wanted) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    SpawnOptions options = wanted;
    options.output = ends[1];
    auto child = spawn(options);
    ::close(ends[1]);
    std::string result;
    std::array<char, 4096> buffer{};
    for (ssize_t size = 0; (size = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        result.append(buffer.data(), size);
    ::close(ends[0]);
    child->wait();
    return result;
}

TEST(Process, ExitCodesAreThoseOfAShell) {
    EXPECT_EQ(exit_code_of(spawn({.arguments = {"sh", "-c", "exit 7"}})->wait()), 7);
    EXPECT_EQ(exit_code_of(spawn({.arguments = {"sh", "-c", "kill -9 $$"}})->wait()), 137);
}

TEST(Process, AMissingProgramIsAnError) {
    const auto child = spawn({.arguments = {"/nonexistent/program"}});
    ASSERT_FALSE(child);
    EXPECT_THAT(child.error().message, HasSubstr("/nonexistent/program"));
}

TEST(Process, TheEnvironmentIsAddedTo) {
    ::setenv("LAB_TEST_KEPT", "1", 1);
    ::setenv("LAB_TEST_REPLACED", "1", 1);
    EXPECT_EQ(output_of({.arguments = {"sh", "-c", "echo $LAB_TEST_KEPT $LAB_TEST_REPLACED $LAB_TEST_NEW"},
                         .environment = {"LAB_TEST_REPLACED=2", "LAB_TEST_NEW=3"}}),
              "1 2 3\n");
}

TEST(Process, ADescriptorIsPassedAsNumberThree) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    auto child = spawn({.arguments = {"sh", "-c", "echo ready >&3"}, .passed = ends[1]});
    ::close(ends[1]);
    std::array<char, 16> buffer{};
    EXPECT_EQ(::read(ends[0], buffer.data(), buffer.size()), 6);
    EXPECT_EQ(::read(ends[0], buffer.data(), buffer.size()), 0) << "nobody else may hold the descriptor";
    ::close(ends[0]);
    child->wait();
}

TEST(Process, SignalsAreAsInAFreshProcess) {
    std::signal(SIGINT, SIG_IGN);
    const std::string status = output_of({.arguments = {"grep", "-E", "SigIgn|SigBlk", "/proc/self/status"}});
    std::signal(SIGINT, SIG_DFL);
    // Whoever started us may ignore 32 and 33, which the C library keeps for itself and lets nobody set.
    EXPECT_THAT(status, testing::MatchesRegex("SigBlk:\t0+\nSigIgn:\t0+(18)?0000000\n"));
}

TEST(Process, TheFilesOfOneThatOutlivesItsStarterArePrivate) {
    const mode_t before = ::umask(0022);
    EXPECT_EQ(output_of({.arguments = {"sh", "-c", "umask"}}), "0022\n");
    EXPECT_EQ(output_of({.arguments = {"sh", "-c", "umask"}, .new_session = true}), "0077\n");
    EXPECT_EQ(::umask(before), 0022U);
}

TEST(Process, IsKnownByItsStartTimeToo) {
    auto child = spawn({.arguments = {"sleep", "1000"}});
    const ProcessId id = child->id();
    EXPECT_TRUE(is_alive(id));
    EXPECT_FALSE(is_alive({id.pid, id.start + 1})) << "another process under the same pid";
    EXPECT_FALSE(open_pidfd({id.pid, id.start + 1}));
    child->signal(SIGKILL);
    child->wait();
    EXPECT_FALSE(is_alive(id));
    EXPECT_FALSE(is_alive({}));
}

TEST(Process, AZombieIsNotAlive) {
    auto child = spawn({.arguments = {"sleep", "1000"}});
    child->signal(SIGKILL);
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, child->pid(), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_FALSE(is_alive(child->id()));
    child->wait();
}

TEST(Process, TheObstinateAreKilled) {
    const TemporaryDir dir;
    const std::string ready = dir.path() / "ready";
    auto child = spawn({.arguments = {"sh", "-c",
                                      "trap '' TERM; mkfifo " + ready + ".fifo; : > " + ready +
                                          "; read x < " + ready + ".fifo"}});
    while (!std::filesystem::exists(ready)) ::usleep(1000);
    EXPECT_THAT(end_processes({child->id()}, std::chrono::milliseconds(100)), IsEmpty());
    EXPECT_FALSE(is_alive(child->id()));
}

TEST(Process, TheStoppedAreEndedToo) {
    auto child = spawn({.arguments = {"sleep", "1000"}});
    child->signal(SIGSTOP);
    EXPECT_THAT(end_processes({child->id()}, std::chrono::seconds(60)), IsEmpty());
}

}  // namespace
}  // namespace ntblab::lab
