// SPDX-License-Identifier: MIT
#include "text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace ntblab::lab {
namespace {

using testing::ElementsAre;

std::string through_a_shell(const std::string& line) {
    std::string output;
    std::FILE* pipe = ::popen(("printf '<%s>' " + line).c_str(), "r");
    std::array<char, 256> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
    ::pclose(pipe);
    return output;
}

TEST(Text, QuotedWordsComeThroughAShellUnchanged) {
    for (const std::string word :
         {"plain", "two words", "it's", "\"$HOME\"", "*", "", "a\\b", "`x`", "a\tb", "~", "x;y&z|"})
        EXPECT_EQ(through_a_shell(shell_quote(word)), "<" + word + ">");
    EXPECT_EQ(shell_join({"a", "b c"}), "a 'b c'");
}

TEST(Text, LastLines) {
    EXPECT_THAT(last_lines("a\nb\r\nc\n", 2), ElementsAre("b", "c"));
    EXPECT_THAT(last_lines("", 2), ElementsAre());
    EXPECT_THAT(last_lines("a", 2), ElementsAre("a"));
}

TEST(Text, Sizes) {
    EXPECT_EQ(human_size(0), "0");
    EXPECT_EQ(human_size(1023), "1023");
    EXPECT_EQ(human_size(64ULL << 20), "64M");
    EXPECT_EQ(human_size(3ULL << 29), "1.5G");
}

}  // namespace
}  // namespace ntblab::lab
