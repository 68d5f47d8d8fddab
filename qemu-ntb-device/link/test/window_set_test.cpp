// SPDX-License-Identifier: MIT
#include "window_set.h"

#include <gtest/gtest.h>

#include <cstring>

#include "memory_file.h"

namespace ntblink {
namespace {

constexpr std::uint64_t kBar = 1 << 20;
constexpr std::uint64_t kPage = 4096;

class WindowSetTest : public ::testing::Test {
  protected:
    WindowSetTest() {
        ram_ = static_cast<std::byte*>(
            ::mmap(nullptr, kBar, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    }
    ~WindowSetTest() override { ::munmap(ram_, kBar); }

    WindowPiece piece(std::uint64_t offset, std::uint64_t size, std::uint64_t at) const {
        return {{2, 1, offset, size, at}, file_.get(), at};
    }
    std::byte* bar() { return static_cast<std::byte*>(set_.memory(2)); }
    void show(const std::vector<WindowPiece>& pieces) {
        set_.show(pieces, [this] { ++changes_; });
    }

    ntblab::UniqueFd file_ = test::memory_file(kBar);
    std::byte* ram_;
    WindowSet set_{WindowMemory::reserve(kBar).value(), {}};
    int changes_ = 0;
};

TEST_F(WindowSetTest, WindowIsTheMemory) {
    show({piece(0x2000, kPage, 0x5000)});
    EXPECT_EQ(changes_, 1);
    bar()[0x2000] = std::byte{1};
    bar()[0x2FFF] = std::byte{2};
    EXPECT_EQ(ram_[0x5000], std::byte{1});
    EXPECT_EQ(ram_[0x5FFF], std::byte{2});
}

TEST_F(WindowSetTest, NoSuchBarHasNoMemory) {
    EXPECT_NE(set_.memory(2), nullptr);
    EXPECT_EQ(set_.memory(4), nullptr);
    EXPECT_EQ(set_.memory(0), nullptr);
}

TEST_F(WindowSetTest, SameWindowsAreNoChange) {
    show({piece(0, kPage, 0)});
    show({piece(0, kPage, 0)});
    EXPECT_EQ(changes_, 1);
}

TEST_F(WindowSetTest, ClosedWindowReachesNobodyAndDoesNotFault) {
    show({piece(0, 2 * kPage, 0)});
    std::memset(bar(), 0x11, 2 * kPage);
    show({});
    EXPECT_EQ(changes_, 2);
    std::memset(bar(), 0x22, 2 * kPage);
    EXPECT_EQ(ram_[0], std::byte{0x11});
    EXPECT_EQ(ram_[2 * kPage - 1], std::byte{0x11});
}

TEST_F(WindowSetTest, WindowIsOpenUntilChangedReturns) {
    show({piece(0, kPage, 0)});
    set_.show({}, [this] { bar()[0] = std::byte{0x33}; });
    EXPECT_EQ(ram_[0], std::byte{0x33});
    bar()[0] = std::byte{0x44};
    EXPECT_EQ(ram_[0], std::byte{0x33});
}

TEST_F(WindowSetTest, PartThatGoesIsClosedPartThatStaysIsNot) {
    show({piece(0, 4 * kPage, 0)});
    show({piece(kPage, kPage, kPage), piece(3 * kPage, kPage, 8 * kPage)});
    std::memset(bar(), 0x55, 4 * kPage);
    EXPECT_EQ(ram_[0], std::byte{0});
    EXPECT_EQ(ram_[kPage], std::byte{0x55});
    EXPECT_EQ(ram_[2 * kPage], std::byte{0});
    EXPECT_EQ(ram_[3 * kPage], std::byte{0});
    EXPECT_EQ(ram_[8 * kPage], std::byte{0x55});
}

TEST_F(WindowSetTest, ChangedMayShowAgain) {
    show({piece(0, kPage, 0)});
    set_.show({piece(kPage, kPage, kPage)}, [this] {
        show({piece(0, kPage, 0), piece(2 * kPage, kPage, 2 * kPage)});
    });
    std::memset(bar(), 0x66, 3 * kPage);
    EXPECT_EQ(ram_[0], std::byte{0x66});
    EXPECT_EQ(ram_[kPage], std::byte{0});
    EXPECT_EQ(ram_[2 * kPage], std::byte{0x66});
}

TEST_F(WindowSetTest, WindowOutsideOfTheBarIsLeftOut) {
    show({piece(kBar - kPage, 2 * kPage, 0), piece(UINT64_MAX - kPage + 1, kPage, 0)});
    EXPECT_TRUE(set_.windows().empty());
    EXPECT_EQ(changes_, 0);
}

TEST_F(WindowSetTest, NeighboursAreOneWindowWhereverTheirMemoryLies) {
    show({piece(0, kPage, 0x5000), piece(kPage, kPage, 0x9000), piece(3 * kPage, kPage, 0x7000)});
    ASSERT_EQ(set_.windows().size(), 2U);
    EXPECT_EQ(set_.windows()[0].size, 2 * kPage);
    EXPECT_EQ(set_.windows()[0].address, 0x5000U);
    bar()[kPage] = std::byte{9};
    EXPECT_EQ(ram_[0x9000], std::byte{9});
    // Other memory in one of them is no change for the hypervisor.
    show({piece(0, kPage, 0x5000), piece(kPage, kPage, 0xA000), piece(3 * kPage, kPage, 0x7000)});
    EXPECT_EQ(changes_, 1);
    bar()[kPage] = std::byte{8};
    EXPECT_EQ(ram_[0x9000], std::byte{9});
    EXPECT_EQ(ram_[0xA000], std::byte{8});
}

}  // namespace
}  // namespace ntblink
