// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <ntblink/ram_table.h>

#include "memory_file.h"

namespace ntblink {
namespace {

class RamTableTest : public ::testing::Test {
  protected:
    RamTableTest() { fds_.push_back(test::memory_file(0x10000)); }

    void add(std::uint64_t address, std::uint64_t size, std::uint64_t offset, std::uint32_t fd = 0) {
        table_.ranges[table_.count++] = {address, size, offset, fd, 0};
    }
    std::string problem() {
        auto checked = check_ram_table(table_, fds_);
        return checked ? "" : checked.error().message;
    }
    void expect_problem(const std::string& part) {
        EXPECT_NE(problem().find(part), std::string::npos) << "'" << problem() << "' has no '" << part << "'";
    }

    wire::RamTable table_ = wire::make<wire::RamTable>();
    std::vector<ntblab::UniqueFd> fds_;
};

TEST_F(RamTableTest, HolesAndAnyOrderAreFine) {
    add(0x100000000, 0x8000, 0x8000);
    add(0, 0x8000, 0);
    EXPECT_EQ(problem(), "");
    auto map = RamMap::make(table_, std::move(fds_));
    ASSERT_TRUE(map);
    ASSERT_EQ(map->pieces().size(), 2U);
    EXPECT_EQ(map->pieces()[0].address, 0U);
    EXPECT_EQ(map->pieces()[1].address, 0x100000000U);
    EXPECT_EQ(map->pieces()[1].fd_offset, 0x8000U);
}

TEST_F(RamTableTest, NeighboursOfOneFileAreMerged) {
    add(0x2000, 0x1000, 0x2000);
    add(0x1000, 0x1000, 0x1000);
    add(0x3000, 0x1000, 0x5000);  // Contiguous in address, not in the file.
    auto map = RamMap::make(table_, std::move(fds_));
    ASSERT_TRUE(map);
    ASSERT_EQ(map->pieces().size(), 2U);
    EXPECT_EQ(map->pieces()[0].address, 0x1000U);
    EXPECT_EQ(map->pieces()[0].size, 0x2000U);
}

TEST_F(RamTableTest, EmptyRange) {
    add(0x1000, 0, 0);
    expect_problem("empty");
}

TEST_F(RamTableTest, PartsOfPages) {
    add(0x1000, 0x800, 0);
    expect_problem("multiples of the page size");
}

TEST_F(RamTableTest, BeyondTheFile) {
    add(0x1000, 0x10000, 0x1000);
    expect_problem("beyond the end of its file of 0x10000 bytes");
}

TEST_F(RamTableTest, FileOffsetThatOverflows) {
    add(0x1000, 0x2000, UINT64_MAX - 0xFFF);
    expect_problem("beyond the end of its file");
}

TEST_F(RamTableTest, AddressThatOverflows) {
    add(UINT64_MAX - 0xFFF, 0x2000, 0);
    expect_problem("64-bit address space");
}

TEST_F(RamTableTest, LastPageOfTheAddressSpaceIsFine) {
    add(UINT64_MAX - 0xFFF, 0x1000, 0);
    EXPECT_EQ(problem(), "");
}

TEST_F(RamTableTest, Overlap) {
    add(0x1000, 0x3000, 0);
    add(0x3000, 0x1000, 0x8000);
    expect_problem("overlaps");
}

TEST_F(RamTableTest, DescriptorThatDidNotCome) {
    add(0x1000, 0x1000, 0, 1);
    expect_problem("descriptor 1 of 1");
}

TEST_F(RamTableTest, TooManyRanges) {
    table_.count = wire::kMaxRamRanges + 1;
    expect_problem("at most 64");
}

TEST_F(RamTableTest, MemoryThatCouldShrink) {
    fds_[0] = test::memory_file(0x10000, false);
    add(0x1000, 0x1000, 0);
    expect_problem("sealed against shrinking");
}

TEST_F(RamTableTest, NoMemoryAtAll) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    fds_[0].reset(ends[0]);
    const ntblab::UniqueFd other(ends[1]);
    add(0x1000, 0x1000, 0);
    expect_problem("beyond the end of its file of 0x0 bytes");
}

}  // namespace
}  // namespace ntblink
