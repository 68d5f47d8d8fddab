// SPDX-License-Identifier: MIT
// The wrapped line, in a shell of this machine in place of a guest's.
#include "remote_command.h"

#include <gtest/gtest.h>

#include "process.h"

namespace ntblab::lab {
namespace {

int exit_code(const std::string& line) {
    return exit_code_of(spawn({.arguments = {"setsid", "-w", "bash", "-c", line}})->wait());
}

class RemoteCommandTest : public testing::Test {
  protected:
    static RemoteCommand command(const std::vector<std::string>& words) { return {words, random_token()}; }
};

TEST_F(RemoteCommandTest, ExitsAsTheCommandDoes) {
    EXPECT_EQ(exit_code(command({"true"}).line()), 0);
    EXPECT_EQ(exit_code(command({"sh", "-c", "exit 7"}).line()), 7);
    EXPECT_EQ(exit_code(command({"sh", "-c", "kill -9 $$"}).line()), 137);
    EXPECT_EQ(exit_code(command({"/nonexistent"}).line()), 127);
}

TEST_F(RemoteCommandTest, WordsArriveAsTheyAre) {
    EXPECT_EQ(exit_code(command({"test", "a 'b' \"$c\" *", "=", "a 'b' \"$c\" *"}).line()), 0);
}

TEST_F(RemoteCommandTest, OddWordsArriveAsTheyAre) {
    for (const std::string& word :
         {std::string(""), std::string("\n"), std::string("it's"), std::string("\\n$x`y`"), std::string("-n"),
          std::string("gr\xc3\xbc\xc3\x9f"), std::string("\xff\xfe"), std::string(20'000, '\'')})
        EXPECT_EQ(exit_code(command({"test", word + "!", "=", word + "!"}).line()), 0) << word.substr(0, 20);
    EXPECT_EQ(exit_code(command({"test", "", "=", ""}).line()), 0);
}

TEST_F(RemoteCommandTest, TheShellsOwnLineDoesNotShowTheCommand) {
    EXPECT_EQ(command({"sleep", "1000"}).line().find("sl"), std::string::npos);
    EXPECT_EQ(command({"pkill", "-f", "a b"}).line().find("a b"), std::string::npos);
}

TEST_F(RemoteCommandTest, RecallsA255) {
    const RemoteCommand bad = command({"sh", "-c", "exit 255"});
    EXPECT_EQ(exit_code(bad.line()), 255);
    EXPECT_EQ(exit_code(bad.recall_line()), 0);
    EXPECT_NE(exit_code(bad.recall_line()), 0) << "once";
    EXPECT_NE(exit_code(command({"true"}).recall_line()), 0) << "of a command that never ran";
}

TEST_F(RemoteCommandTest, ASignalReachesTheCommandAndItsHandler) {
    const RemoteCommand waiting = command({"sh", "-c", "trap 'exit 9' INT; while :; do sleep 0.01; done"});
    auto shell = spawn({.arguments = {"setsid", "-w", "bash", "-c", waiting.line()}});
    while (exit_code(waiting.signal_line(2)) != 0) {
    }
    // The signal may come before the trap is set; then the command ends by it.
    const int code = exit_code_of(shell->wait());
    EXPECT_TRUE(code == 9 || code == 130) << code;
}

TEST_F(RemoteCommandTest, TokensDiffer) {
    EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace ntblab::lab
