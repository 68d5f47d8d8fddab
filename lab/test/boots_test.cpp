// SPDX-License-Identifier: MIT
#include "boots.h"

#include <gtest/gtest.h>

#include "files.h"
#include "temporary_dir.h"

namespace ntblab::lab {
namespace {

TEST(Boots, AreCountedByUserspace) {
    const TemporaryDir dir;
    const auto log = dir.path() / "status.log";
    EXPECT_EQ(count_boots(log).count, 0U);
    EXPECT_EQ(last_status(log), "booting");
    ASSERT_TRUE(write_file(log, "userspace\nssh\nuserspace\n"));
    EXPECT_EQ(count_boots(log).count, 2U);
    EXPECT_EQ(count_boots(log).bytes, 24U);
    EXPECT_EQ(last_status(log), "userspace");
}

}  // namespace
}  // namespace ntblab::lab
