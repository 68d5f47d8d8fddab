// SPDX-License-Identifier: MIT
#include "program.h"

#include <gtest/gtest.h>

#include <csignal>

namespace ntblab::sim {
namespace {

TEST(Program, ReadsWhatItIsGivenAndIsHeard) {
    const std::string large(1 << 20, 'x');  // more than a pipe holds
    const auto ended = run_program({"sh", "-c", "cat; echo no >&2; exit 3"}, large);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->code, 3);
    EXPECT_EQ(ended->output, large);
    EXPECT_EQ(ended->errors, "no\n");
}

TEST(Program, ASignalIsACodeAbove128) {
    EXPECT_EQ(run_program({"sh", "-c", "kill -TERM $$"}, "")->code, 128 + SIGTERM);
}

TEST(Program, WhatIsNotThereIsAnError) {
    EXPECT_EQ(run_program({"no-such-program-as-this"}).error(), std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace ntblab::sim
