// SPDX-License-Identifier: MIT
#include "plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

using testing::HasSubstr;

class PlanTest : public testing::Test {
  protected:
    /// With every file that a cluster needs.
    Install complete() const {
        const Install install{dir_.path() / "bin", dir_.path() / "lib", dir_.path() / "share"};
        for (const auto& file : install.missing()) {
            std::filesystem::create_directories(file.parent_path());
            std::ofstream(file) << "x";
        }
        return install;
    }
    Plan plan(const Install& install, const std::string& memory, const std::string& dir = "") const {
        const std::filesystem::path where = dir.empty() ? dir_.path() : std::filesystem::path(dir);
        const std::string text = "name: p\nnodes: {a: {memory: " + memory + "}}\n";
        return {topology::parse(text, "p.yaml").value(), text, {where}, install, Accelerator::tcg, ""};
    }
    TemporaryDir dir_;
};

TEST_F(PlanTest, ThatFitsIsFine) {
    EXPECT_TRUE(check_host(plan(complete(), "128M"), false));
}

TEST_F(PlanTest, WithMissingFilesNamesThem) {
    const Install install = complete();
    std::filesystem::remove(install.qemu());
    EXPECT_THAT(check_host(plan(install, "128M"), false).error().message,
                HasSubstr("missing:\n  " + install.qemu().string()));
}

TEST_F(PlanTest, WithTooMuchMemoryIsRefusedUnlessAskedFor) {
    const auto install = complete();
    EXPECT_THAT(check_host(plan(install, "1T"), false).error().message, HasSubstr("may take 1T of memory"));
    EXPECT_TRUE(check_host(plan(install, "1T"), true));
}

TEST_F(PlanTest, WithoutRoomForTheClusterIsRefused) {
    // No file system of the kernel's own has room.
    EXPECT_THAT(check_host(plan(complete(), "128M", "/proc/self"), false).error().message,
                HasSubstr("the run directory /proc has 0 free, a cluster needs 16M"));
}

TEST_F(PlanTest, WithALongPathIsRefused) {
    EXPECT_THAT(check_host(plan(complete(), "128M", "/" + std::string(100, 'x')), false).error().message,
                HasSubstr("too long"));
}

}  // namespace
}  // namespace ntblab::lab
