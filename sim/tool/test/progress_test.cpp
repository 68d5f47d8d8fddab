// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdlib>

namespace ntblab::sim {
namespace {

TEST(Progress, IsSilentWithoutATerminal) {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    Progress("sweep", file).show(0.5, "half");
    EXPECT_EQ(std::ftell(file), 0);
    std::fclose(file);
}

TEST(Progress, DrawsOnATerminalAndClearsItself) {
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    ASSERT_GE(master, 0);
    ASSERT_EQ(grantpt(master), 0);
    ASSERT_EQ(unlockpt(master), 0);
    std::array<char, 64> name{};
    ASSERT_EQ(ptsname_r(master, name.data(), name.size()), 0);
    std::FILE* terminal = std::fopen(name.data(), "w");
    ASSERT_NE(terminal, nullptr);
    {
        Progress progress("sweep", terminal);
        progress.show(0.5, "half of it");
        progress.show(0.5, "half of it");
    }
    std::array<char, 1024> drawn{};
    const ssize_t bytes = read(master, drawn.data(), drawn.size());
    ASSERT_GT(bytes, 0);
    EXPECT_EQ(std::string(drawn.data(), static_cast<std::size_t>(bytes)),
              "\r\033[Ksweep [###############               ]  50 % half of it\r\033[K");
    std::fclose(terminal);
    close(master);
}

}  // namespace
}  // namespace ntblab::sim
