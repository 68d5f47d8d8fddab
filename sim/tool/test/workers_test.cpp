// SPDX-License-Identifier: MIT
#include "workers.h"

#include <gmock/gmock.h>

#include <csignal>

#include "traced_run.h"

namespace ntblab::sim {
namespace {

using testing::HasSubstr;

/// Writes a file for each time a task is begun.
class Journal {
  public:
    void begin(std::size_t task) const { std::ofstream(folder_ / fmt::format("{}-{}", task, times(task))); }
    unsigned times(std::size_t task) const {
        unsigned count = 0;
        while (std::filesystem::exists(folder_ / fmt::format("{}-{}", task, count))) ++count;
        return count;
    }

  private:
    Folder folder_;
};

TEST(Workers, DoEachTaskOnceHoweverManyThereAre) {
    for (const unsigned processes : {1U, 3U, 100U}) {
        const Journal journal;
        std::size_t ended = 0;
        const auto done = in_processes(
            {0, 1, 2, 3, 4, 5, 6}, processes,
            [&](std::size_t task) -> Result<void> {
                journal.begin(task);
                return {};
            },
            [&] { ++ended; });
        EXPECT_TRUE(done);
        EXPECT_EQ(ended, 7U);
        for (std::size_t task = 0; task < 7; ++task) EXPECT_EQ(journal.times(task), 1U);
    }
}

TEST(Workers, WhatASignalEndsIsToldAndDoneOnceMore) {
    const Journal journal;
    std::size_t ended = 0;
    testing::internal::CaptureStderr();
    const auto done = in_processes(
        {0, 1, 2}, 1,
        [&](std::size_t task) -> Result<void> {
            journal.begin(task);
            if (task == 1 && journal.times(1) == 1) std::raise(SIGKILL);
            return {};
        },
        [&] { ++ended; });
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("ntb-sim: task 1 was ended by signal 9 (Killed); it is done once more\n"));
    EXPECT_TRUE(done);
    EXPECT_EQ(ended, 3U);
    EXPECT_EQ(journal.times(1), 2U);
}

TEST(Workers, WhatIsEndedTwiceIsAnError) {
    const Journal journal;
    testing::internal::CaptureStderr();
    const auto done = in_processes(
        {0, 1}, 1,
        [&](std::size_t task) -> Result<void> {
            journal.begin(task);
            std::raise(SIGKILL);
            return {};
        },
        [] {});
    testing::internal::GetCapturedStderr();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "task 0 was ended by signal 9 (Killed), the second time");
    EXPECT_EQ(journal.times(0), 2U);
}

TEST(Workers, ATaskThatFailsIsNotDoneAgain) {
    const Journal journal;
    testing::internal::CaptureStderr();
    const auto done = in_processes(
        {4, 5}, 1,
        [&](std::size_t task) -> Result<void> {
            journal.begin(task);
            return fail("no space");
        },
        [] {});
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("task 4: no space"));
    ASSERT_FALSE(done);
    EXPECT_EQ(journal.times(4), 1U);
    EXPECT_EQ(journal.times(5), 0U);
}

}  // namespace
}  // namespace ntblab::sim
