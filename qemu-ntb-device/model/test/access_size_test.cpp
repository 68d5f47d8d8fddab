// SPDX-License-Identifier: MIT
// Accesses of every size at every offset: each register does what it does, whatever it is reached by.
#include "bench.h"

namespace switchtec::test {
namespace {

class AccessSize : public ::testing::Test {
  protected:
    AccessSize() {
        bench.boot(0);
        bench.boot(1);
        bench.chip.set_requester_id(0, 0x0305);
    }
    Bench bench{2};
    Chip& chip = bench.chip;
};

TEST_F(AccessSize, EightBytesAtAFourByteBoundary) {
    EXPECT_EQ(chip.read(0, 0x10004, 8), 0x3U);
}

TEST_F(AccessSize, EveryReadIsMadeOfItsBytes) {
    bench.map_lut(1, 0, 0, 0x123450000);
    bench.set(0, Reg::InVectorMap, 0, 13, 0x5A);
    for (const auto& block : register_map()) {
        for (std::uint32_t offset = block.base;
             offset < block.base + 2 * block.stride && offset + 8 < kGasSize; ++offset) {
            std::uint64_t bytes = 0;
            for (unsigned i = 0; i < 8; ++i) bytes |= chip.read(0, offset + i, 1) << (8 * i);
            ASSERT_EQ(chip.read(0, offset, 8), bytes) << std::hex << offset;
            ASSERT_EQ(chip.read(0, offset, 4), bytes & 0xFFFFFFFF) << std::hex << offset;
            ASSERT_EQ(chip.read(0, offset, 2), bytes & 0xFFFF) << std::hex << offset;
        }
    }
}

TEST_F(AccessSize, WideReadCoversSeveralRegisters) {
    EXPECT_EQ(chip.read(0, 0x10000, 8), 0x3'0000'0002U) << "count, id, low half of ep_map";
    EXPECT_EQ(chip.read(0, 0x1000A, 4), 0x0305'0000U) << "high half of ep_map, requester id";
}

TEST_F(AccessSize, WideWriteCoversSeveralRegisters) {
    chip.write(0, offset_of(Reg::InVectorMap, 0, 8), 0x0706050403020100, 8);
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bench.get(0, Reg::InVectorMap, 0, 8 + i), i);
    // The upper half of odb_mask and the lower half of idb.
    bench.set(0, Reg::OutDoorbellMask, 0, 0, 0x11111111'22222222);
    chip.write(0, offset_of(Reg::OutDoorbellMask, 0) + 4, 0xFFFFFFFF'33333333, 8);
    EXPECT_EQ(bench.get(0, Reg::OutDoorbellMask, 0), 0x33333333'22222222U);
}

TEST_F(AccessSize, NarrowWritesReplaceTheirBytes) {
    bench.op(0, 0, kOpLock);
    const auto entry = offset_of(Reg::NtbLutEntry, 0, 5);
    chip.write(0, entry + 4, 0xAABBCCDD, 4);
    chip.write(0, entry + 2, 0x1234, 2);
    chip.write(0, entry, 0x03, 1);
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 0, 5), 0xAABBCCDD'12340003U);
    chip.write(0, entry + 3, 0x99887766, 4);
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 0, 5), 0xAA998877'66340003U);
}

TEST_F(AccessSize, PartialWritesOfWriteOneRegistersTouchTheirBytesOnly) {
    bench.set(1, Reg::OutDoorbellMask, 1, 0, ~0ULL);
    bench.set(1, Reg::OutDoorbell, 1, 0, ~0ULL);
    chip.write(0, offset_of(Reg::InDoorbell, 0) + 1, 0xFF, 1);
    EXPECT_EQ(bench.get(0, Reg::InDoorbell, 0), 0xFFFFFFFF'FFFF00FFU);
    chip.write(0, offset_of(Reg::InDoorbell, 0) + 6, 0xFFFFFFFF, 4);  // Two bytes here, two in idb_mask.
    EXPECT_EQ(bench.get(0, Reg::InDoorbell, 0), 0x0000FFFF'FFFF00FFU);
    EXPECT_EQ(bench.get(0, Reg::InDoorbellMask, 0), 0xFFFFU);
}

TEST_F(AccessSize, CommandsRunWhenTheirFirstByteIsWritten) {
    chip.write(0, offset_of(Reg::NtbPartitionOp, 0) + 1, 0x010101, 2);
    EXPECT_EQ(bench.state(0, 0), kNormal);
    chip.write(0, offset_of(Reg::NtbPartitionOp, 0), kOpLock, 1);
    EXPECT_EQ(bench.state(0, 0), kLocked);
    chip.write(0, offset_of(Reg::NtbPartitionStatus, 0), std::uint64_t{kOpConfigure} << 32, 8);
    EXPECT_EQ(bench.state(0, 0), kNormal);
}

TEST_F(AccessSize, PartlyBackedAccess) {
    // Four bytes of idb_vec_map's end and msg_map's beginning lie side by side; reserved follows msg_map.
    bench.set(0, Reg::MessageMap, 0, 0, 0x44332211);
    EXPECT_EQ(chip.read(0, offset_of(Reg::MessageMap, 0) + 2, 8), 0x4433U);
    chip.write(0, offset_of(Reg::MessageMap, 0) + 2, 0xFFFFFFFF'FFFF0000, 8);
    EXPECT_EQ(bench.get(0, Reg::MessageMap, 0), 0x00002211U);
}

TEST_F(AccessSize, EverywhereElseReadsZero) {
    for (std::uint32_t offset : {0x820U, 0x1200U, 0x21F0U, 0x3FF8U, 0x76000U, 0x77000U, 0x233000U, 0x3FFFF8U,
                                 0x3FFFFFU, 0x400000U, ~0U}) {
        chip.write(0, offset, ~0ULL, 8);
        EXPECT_EQ(chip.read(0, offset, 8), 0U) << std::hex << offset;
    }
}

}  // namespace
}  // namespace switchtec::test
