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
        ranges_.push_back({address, size, offset, fd, 0});
    }
    ntblab::Result<RamTable> receive() {
        auto message = wire::make<wire::RamTable>();
        message.count = static_cast<std::uint32_t>(ranges_.size());
        std::vector<ntblab::UniqueFd> fds;
        fds.push_back(file_of_ranges(ranges_).value());
        for (auto& fd : fds_) fds.push_back(std::move(fd));
        return RamTable::receive(message, std::move(fds));
    }
    std::string problem() {
        auto table = receive();
        return table ? "" : table.error().message;
    }
    void expect_problem(const std::string& part) {
        EXPECT_NE(problem().find(part), std::string::npos) << "'" << problem() << "' has no '" << part << "'";
    }

    std::vector<wire::RamRange> ranges_;
    std::vector<ntblab::UniqueFd> fds_;
};

TEST_F(RamTableTest, HolesAndAnyOrderAreFine) {
    add(0x100000000, 0x8000, 0x8000);
    add(0, 0x8000, 0);
    auto table = receive();
    ASSERT_TRUE(table) << table.error().message;
    const RamMap map(std::move(*table));
    ASSERT_EQ(map.pieces().size(), 2U);
    EXPECT_EQ(map.pieces()[0].address, 0U);
    EXPECT_EQ(map.pieces()[1].address, 0x100000000U);
    EXPECT_EQ(map.pieces()[1].fd_offset, 0x8000U);
}

TEST_F(RamTableTest, NeighboursOfOneFileAreMerged) {
    add(0x2000, 0x1000, 0x2000);
    add(0x1000, 0x1000, 0x1000);
    add(0x3000, 0x1000, 0x5000);  // Contiguous in address, not in the file.
    const RamMap map(receive().value());
    ASSERT_EQ(map.pieces().size(), 2U);
    EXPECT_EQ(map.pieces()[0].address, 0x1000U);
    EXPECT_EQ(map.pieces()[0].size, 0x2000U);
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
    expect_problem("file 1 of 1");
}

TEST_F(RamTableTest, TooManyRanges) {
    ranges_.resize(wire::kMaxRamRanges + 1, {0x1000, 0x1000, 0, 0, 0});
    expect_problem("at most 4096");
}

TEST_F(RamTableTest, FewerRangesThanTheMessageSays) {
    auto message = wire::make<wire::RamTable>();
    message.count = 2;
    std::vector<ntblab::UniqueFd> fds;
    ranges_.push_back({0x1000, 0x1000, 0, 0, 0});
    fds.push_back(file_of_ranges(ranges_).value());
    const auto table = RamTable::receive(message, std::move(fds));
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().message, "the file of 2 RAM ranges does not hold them");
}

TEST_F(RamTableTest, RangesWithoutADescriptor) {
    auto message = wire::make<wire::RamTable>();
    message.count = 1;
    EXPECT_FALSE(RamTable::receive(message, {}));
    message.count = 0;
    EXPECT_TRUE(RamTable::receive(message, {}));
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
