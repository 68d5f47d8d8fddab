// SPDX-License-Identifier: MIT
// A file is all there, or it is not there.
#include "output_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "traced_run.h"

namespace ntblab::sim {
namespace {

/// Files of this process can only be so large: what a full disk is to a writer.
class SmallFiles {
  public:
    explicit SmallFiles(rlim_t bytes) {
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

TEST(OutputFile, HasWhatIsWritten) {
    const Folder folder;
    auto file = OutputFile::create(folder / "a").value();
    file.write("one ");
    file.write("two");
    EXPECT_TRUE(file.finish());
    EXPECT_EQ(contents(folder / "a"), "one two");
}

TEST(OutputFile, IsRemovedIfItIsNotFinished) {
    const Folder folder;
    {
        auto file = OutputFile::create(folder / "a").value();
        file.write("half");
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(OutputFile, WhatWasThereStaysUntilItIsFinished) {
    const Folder folder;
    std::ofstream(folder / "a") << "before";
    std::filesystem::create_symlink("a", folder / "link");
    { OutputFile::create(folder / "link").value().write("half"); }
    EXPECT_EQ(contents(folder / "a"), "before");
    auto file = OutputFile::create(folder / "link").value();
    file.write("after");
    EXPECT_EQ(contents(folder / "a"), "before");
    EXPECT_TRUE(file.finish());
    EXPECT_EQ(contents(folder / "a"), "after");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "link"}));
}

TEST(OutputFile, AFolderIsNoFile) {
    const Folder folder;
    std::filesystem::create_directory(folder / "a");
    const auto file = OutputFile::create(folder / "a");
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, testing::HasSubstr("Is a directory"));
}

/// Writes half of two files, and is ended by a signal.
void end_while_writing(const Folder& folder, int signal) {
    remove_unfinished_at_signals();
    auto one = OutputFile::create(folder / "one").value(), two = OutputFile::create(folder / "two").value();
    { OutputFile::create(folder / "three").value().write("gone"); }
    one.write("half");
    std::raise(signal);
}

TEST(UnfinishedDeathTest, SignalsRemoveWhatIsWrittenAndEndAsEver) {
    const Folder folder;
    for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
        EXPECT_EXIT(end_while_writing(folder, signal), testing::KilledBySignal(signal), "");
        EXPECT_EQ(folder.names(), std::vector<std::string>{});
    }
}

TEST(UnfinishedDeathTest, AChildLeavesItsParentsFilesAlone) {
    const Folder folder;
    auto file = OutputFile::create(folder / "a").value();
    EXPECT_EXIT(end_while_writing(folder, SIGTERM), testing::KilledBySignal(SIGTERM), "");
    file.write("all");
    EXPECT_TRUE(file.finish());
    EXPECT_EQ(contents(folder / "a"), "all");
}

TEST(OutputFile, SaysWhereItCannotBe) {
    const Folder folder;
    const auto file = OutputFile::create(folder / "no" / "file");
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, testing::AllOf(testing::HasSubstr((folder / "no" / "file").string()),
                                                     testing::HasSubstr("No such file or directory")));
}

TEST(OutputFile, IsRemovedIfTheDiskIsFull) {
    const Folder folder;
    const SmallFiles small(100'000);
    auto file = OutputFile::create(folder / "a").value();
    unsigned failures = 0;
    file.on_failure = [&] { ++failures; };
    for (int i = 0; i < 1000; ++i) file.write(std::string(1000, 'x'));
    EXPECT_TRUE(file.failed());
    EXPECT_EQ(failures, 1U);
    const auto done = file.finish();
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, testing::AllOf(testing::HasSubstr((folder / "a").string()),
                                                     testing::HasSubstr("File too large")));
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

// Of a small file it is only known at its end.
TEST(OutputFile, AFullDeviceIsAnErrorAndStays) {
    auto file = OutputFile::create("/dev/full").value();
    file.write("x");
    const auto done = file.finish();
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, testing::HasSubstr("No space left on device"));
    EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST(Traces, AFullDiskEndsTheRunAndIsAnError) {
    const Folder folder;
    const SmallFiles small(200'000);
    Watched watched;
    watched.workload.transfers = 1000;
    std::unique_ptr<Traces> traces;
    watched.run(
        [&](pcie::System& system) {
            traces = std::move(Traces::create({.perfetto = folder / "run.json"}, system).value());
        },
        [&](pcie::System& system) {
            EXPECT_FALSE(system.at_rest());
            const auto done = traces->finish();
            ASSERT_FALSE(done);
            EXPECT_THAT(done.error().message, testing::HasSubstr((folder / "run.json").string()));
            traces.reset();
        });
    EXPECT_FALSE(std::filesystem::exists(folder / "run.json"));
}

}  // namespace
}  // namespace ntblab::sim
