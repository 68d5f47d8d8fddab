// SPDX-License-Identifier: MIT
// Windows over processes' RAM: bytes land where they should and nowhere else.
#include <gtest/gtest.h>

#include <cstring>

#include "cluster.h"
#include "driver.h"
#include "peer_process.h"

namespace fabric::test {
namespace {

constexpr std::uint64_t k64K = 0x10000;
constexpr std::byte kCanary{0xA5};

class WindowTest : public ::testing::Test {
  protected:
    WindowTest() {
        admit_cpu(a_);
        admit_cpu(b_);
    }
    // Both hosts in this process: whoever waits services the other.
    void give(Host& from, Host& to, const std::vector<Window>& windows) {
        offer(from, to.partition(), windows, [&] { to.service(); });
        to.service();
    }
    static void fill(const Host& host) { std::memset(host.ram(), static_cast<int>(kCanary), kRam); }
    static bool canary(const Host& host, std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t i = from; i < to; ++i) {
            if (host.ram()[i] != kCanary) return false;
        }
        return true;
    }

    Cluster cluster_{2};
    Host a_{cluster_.socket(), 0};
    Host b_{cluster_.socket(), 1};
};

TEST_F(WindowTest, LutWindowReachesItsPagesAndNoOthers) {
    fill(a_);
    give(a_, b_, {{2, 0x200000, k64K}});
    const auto windows = b_.windows();
    ASSERT_EQ(windows.size(), 1U);
    EXPECT_EQ(windows[0].bar, 2U);
    EXPECT_EQ(windows[0].target, 0U);
    EXPECT_EQ(windows[0].offset, 0U);
    EXPECT_EQ(windows[0].size, k64K);
    EXPECT_EQ(windows[0].address, 0x200000U);
    std::memset(b_.bar(2), 0x11, k64K);
    EXPECT_EQ(a_.ram()[0x200000], std::byte{0x11});
    EXPECT_EQ(a_.ram()[0x20FFFF], std::byte{0x11});
    EXPECT_TRUE(canary(a_, 0, 0x200000));
    EXPECT_TRUE(canary(a_, 0x210000, kRam));
    a_.ram()[0x200123] = std::byte{0x77};
    EXPECT_EQ(b_.bar(2)[0x123], std::byte{0x77});
}

TEST_F(WindowTest, DirectAndLutWindowsTogether) {
    fill(a_);
    give(a_, b_, {{2, 0x100000, 4 * k64K}, {4, 0x400000, 0x400000}});
    ASSERT_EQ(b_.windows().size(), 2U);
    std::memset(b_.bar(2), 0x22, 4 * k64K);
    std::memset(b_.bar(4), 0x33, 0x400000);
    EXPECT_TRUE(canary(a_, 0, 0x100000));
    EXPECT_EQ(a_.ram()[0x100000], std::byte{0x22});
    EXPECT_EQ(a_.ram()[0x13FFFF], std::byte{0x22});
    EXPECT_TRUE(canary(a_, 0x140000, 0x400000));
    EXPECT_EQ(a_.ram()[0x400000], std::byte{0x33});
    EXPECT_EQ(a_.ram()[0x7FFFFF], std::byte{0x33});
    EXPECT_TRUE(canary(a_, 0x800000, kRam));
}

TEST_F(WindowTest, BothDirectionsAtOnce) {
    give(a_, b_, {{2, 0x100000, k64K}});
    give(b_, a_, {{2, 0x300000, k64K}});
    a_.bar(2)[5] = std::byte{1};
    b_.bar(2)[6] = std::byte{2};
    EXPECT_EQ(b_.ram()[0x300005], std::byte{1});
    EXPECT_EQ(a_.ram()[0x100006], std::byte{2});
}

TEST_F(WindowTest, WindowFollowsTheMemoryMapAroundAHole) {
    // 4 MiB below a hole from 0xC0000000, the rest from 4 GiB on, as a PC with more memory has it.
    ASSERT_TRUE(a_.tell_ram(
        {{0xBFC00000, 0x400000, a_.ram_fd(), 0}, {0x100000000, 0xC00000, a_.ram_fd(), 0x400000}}));
    give(a_, b_, {{4, 0, 8ULL << 30}});
    const auto windows = b_.windows();
    ASSERT_EQ(windows.size(), 2U);
    EXPECT_EQ(windows[0].offset, 0xBFC00000U);
    EXPECT_EQ(windows[0].size, 0x400000U);
    EXPECT_EQ(windows[1].offset, 0x100000000U);
    EXPECT_EQ(windows[1].size, 0xC00000U);
    b_.bar(4)[0xBFFFFFFF] = std::byte{0x44};
    b_.bar(4)[0x100000000] = std::byte{0x55};
    EXPECT_EQ(a_.ram()[0x3FFFFF], std::byte{0x44});
    EXPECT_EQ(a_.ram()[0x400000], std::byte{0x55});
}

TEST_F(WindowTest, RamThatComesLaterAppears) {
    ASSERT_TRUE(a_.tell_ram({}));
    give(a_, b_, {{2, 0x200000, k64K}});
    EXPECT_TRUE(b_.windows().empty());
    const int before = b_.windows_changed;
    // Nothing that B has is taken away, so A does not wait for B.
    ASSERT_TRUE(a_.tell_ram({{0, kRam, a_.ram_fd(), 0}}));
    ASSERT_TRUE(b_.wait([&] { return b_.windows().size() == 1; }));
    EXPECT_EQ(b_.windows_changed, before + 1);
}

TEST_F(WindowTest, AccessOutsideOfMemoryIsAllOnesAndDropped) {
    EXPECT_EQ(ntb_endpoint_window_read(*a_, 0, 2, 0, 1), 0xFFU);
    EXPECT_EQ(ntb_endpoint_window_read(*a_, 0, 2, 0, 2), 0xFFFFU);
    EXPECT_EQ(ntb_endpoint_window_read(*a_, 0, 4, 8, 4), 0xFFFFFFFFU);
    EXPECT_EQ(ntb_endpoint_window_read(*a_, 0, 4, 8, 8), UINT64_MAX);
    ntb_endpoint_window_write(*a_, 0, 2, 0, 1, 4);
}

TEST_F(WindowTest, BadRamIsRefusedWithTheReasonAndTheOldStays) {
    char error[NTB_ERROR_SIZE];
    const NtbRamRange beyond{0, 2 * kRam, a_.ram_fd(), 0};
    EXPECT_FALSE(ntb_endpoint_set_ram(*a_, UINT64_MAX, &beyond, 1, error));
    EXPECT_NE(std::string(error).find("beyond the end of its file"), std::string::npos) << error;
    const NtbRamRange closed{0, kRam, 9999, 0};
    EXPECT_FALSE(ntb_endpoint_set_ram(*a_, UINT64_MAX, &closed, 1, error));
    EXPECT_NE(std::string(error).find("descriptor 9999"), std::string::npos) << error;
    const std::vector<NtbRamRange> many(NTB_MAX_RAM_RANGES + 1, NtbRamRange{0, 0x1000, a_.ram_fd(), 0});
    EXPECT_FALSE(ntb_endpoint_set_ram(*a_, UINT64_MAX, many.data(), many.size(), error));
    EXPECT_NE(std::string(error).find("at most 4096"), std::string::npos) << error;
    give(a_, b_, {{2, 0x200000, k64K}});
    EXPECT_EQ(b_.windows().size(), 1U);
}

TEST_F(WindowTest, SwitchOfFortyEightPartitionsWorks) {
    Cluster big(48);
    Host first(big.socket(), 0);
    Host last(big.socket(), 47);
    admit_cpu(last);
    give(first, last, {{2, 0x200000, k64K}});
    ASSERT_EQ(last.windows().size(), 1U);
    last.bar(2)[9] = std::byte{3};
    EXPECT_EQ(first.ram()[0x200009], std::byte{3});
}

}  // namespace
}  // namespace fabric::test
