// SPDX-License-Identifier: MIT
#include "run_dir.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunDir : public testing::Test {
  protected:
    RunDir() { ::setenv("NTBLAB_RUN_DIR", (dir_.path() / "run").c_str(), 1); }
    ~RunDir() override { ::unsetenv("NTBLAB_RUN_DIR"); }
    TemporaryDir dir_;
};

TEST_F(RunDir, IsMadePrivate) {
    const auto base = prepare_run_base();
    ASSERT_TRUE(base) << base.error().message;
    struct stat status {};
    ASSERT_EQ(::stat(base->c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(RunDir, IsTheSameHoweverItIsSpelt) {
    ASSERT_TRUE(prepare_run_base());
    const auto base = run_base();
    std::filesystem::create_symlink(base, dir_.path() / "link");
    for (const std::string spelling : {"run/", "./run", "x/../run", "link"}) {
        ::setenv("NTBLAB_RUN_DIR", (dir_.path() / spelling).c_str(), 1);
        EXPECT_EQ(run_base(), base) << spelling;
    }
}

TEST_F(RunDir, ThatIsRelativeIsRefused) {
    ::setenv("NTBLAB_RUN_DIR", "run", 1);
    const std::string advice = "write NTBLAB_RUN_DIR=" + (std::filesystem::current_path() / "run").string();
    EXPECT_THAT(prepare_run_base().error().message, HasSubstr("run: expected an absolute path; " + advice));
    EXPECT_THAT(check_run_base().error().message, HasSubstr(advice));
    EXPECT_FALSE(std::filesystem::exists("run"));
}

TEST_F(RunDir, ThatOthersCanWriteToIsRefused) {
    std::filesystem::create_directory(dir_.path() / "run");
    ::chmod((dir_.path() / "run").c_str(), 0777);
    EXPECT_THAT(prepare_run_base().error().message, HasSubstr("can be written by others"));
}

TEST_F(RunDir, ThatIsAFileOrHasNoParentIsRefused) {
    std::ofstream(dir_.path() / "run") << "x";
    EXPECT_THAT(prepare_run_base().error().message, HasSubstr("is not a directory"));
    ::setenv("NTBLAB_RUN_DIR", (dir_.path() / "none/run").c_str(), 1);
    EXPECT_THAT(prepare_run_base().error().message, HasSubstr("cannot make the run directory"));
}

TEST_F(RunDir, HasTheDirectoriesOfClusters) {
    const auto base = prepare_run_base().value();
    for (const char* name : {"b", "a", "not_a_name"}) std::filesystem::create_directory(base / name);
    std::ofstream(base / "file") << "x";
    EXPECT_THAT(cluster_names(base), ElementsAre("a", "b"));
}

TEST(PathLengths, AreLimitedByTheKernel) {
    EXPECT_TRUE(check_path_lengths("/tmp/ntblab-0/" + std::string(32, 'c'), {std::string(32, 'n')}));
    const auto refused = check_path_lengths("/tmp/" + std::string(90, 'd') + "/c", {"a"});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("set NTBLAB_RUN_DIR to a path at least"));
}

TEST(DirectoryLock, IsExclusiveAndEndsWithItsObject) {
    const TemporaryDir dir;
    {
        const auto held = DirectoryLock::try_lock(dir.path());
        ASSERT_TRUE(held);
        EXPECT_FALSE(DirectoryLock::try_lock(dir.path()));
    }
    EXPECT_TRUE(DirectoryLock::try_lock(dir.path()));
}

TEST(DirectoryLock, OfADirectoryThatIsGoneIsNone) {
    const TemporaryDir dir;
    EXPECT_FALSE(DirectoryLock::lock(dir.path() / "none"));
}

}  // namespace
}  // namespace ntblab::lab
