// SPDX-License-Identifier: MIT
// The register table: no two registers share a byte, and each byte has a name.
#include <set>
#include <string>

#include "bench.h"

namespace switchtec::test {
namespace {

std::string name(std::uint32_t offset) {
    char buffer[kRegisterNameSize];
    return register_name(offset, buffer);
}

TEST(Registers, Names) {
    EXPECT_EQ(name(0x17018), "ntb_ctrl[1].lut_entry[3]");
    EXPECT_EQ(name(0x1701C), "ntb_ctrl[1].lut_entry[3]+0x4");
    EXPECT_EQ(name(0x2000), "sys_info.device_id");
    EXPECT_EQ(name(0x10004), "ntb_info.ep_map");
    EXPECT_EQ(name(0x10034), "ntb_info.ntp_info[1].target_part_low");
    EXPECT_EQ(name(0x14060), "ntb_ctrl[0].bar_entry[2].ctl");
    EXPECT_EQ(name(0x14000 + 0xC0), "ntb_ctrl[0].bar_ext_entry[2].win_size");
    EXPECT_EQ(name(0x75000), "ntb_dbmsg[0].odb");
    EXPECT_EQ(name(0x7908D), "ntb_dbmsg[1].imsg[0].mask");
    EXPECT_EQ(name(0x134D30), "pff_csr[0].link_state_hdr");
    EXPECT_EQ(name(0x413C), "part_cfg[0].mrpc_comp_hdr");
    EXPECT_EQ(name(0x804), "mrpc.status");
    EXPECT_EQ(name(0x2228), "flash_info.key0");
    EXPECT_EQ(name(0x76010), "ntb_dbmsg[0]+0x2010") << "the MSI-X table: no register of the chip";
    EXPECT_EQ(name(0x1010), "gas+0x1010");
    EXPECT_EQ(name(0xFFFFFFFF), "gas+0xffffffff");
}

TEST(Registers, LongNamesAreCut) {
    char buffer[8];
    EXPECT_STREQ(register_name(0x17018, buffer), "ntb_ctr");
}

TEST(Registers, EveryNameFits) {
    for (std::uint32_t offset = 0; offset < kGasSize; offset += 3)
        ASSERT_LT(name(offset).size(), kRegisterNameSize - 1) << offset;
}

TEST(Registers, NoTwoShareAByte) {
    for (const auto& block : register_map()) {
        std::set<unsigned> taken;
        for (const auto& reg : block.registers) {
            for (unsigned i = 0; i < reg.count; ++i) {
                for (unsigned b = 0; b < reg.size; ++b) {
                    const unsigned byte = reg.offset + i * reg.stride + b;
                    ASSERT_LT(byte, block.stride) << block.name << "." << reg.name;
                    ASSERT_TRUE(taken.insert(byte).second) << block.name << "." << reg.name << " " << i;
                }
            }
        }
    }
}

TEST(Registers, EachIsInTheMapOnce) {
    std::set<Reg> seen;
    for (const auto& block : register_map()) {
        for (const auto& reg : block.registers) {
            EXPECT_TRUE(seen.insert(reg.id).second) << reg.name;
            const auto offset = offset_of(reg.id, block.count - 1U, reg.count - 1U);
            const auto at = locate(offset);
            ASSERT_TRUE(at) << reg.name;
            EXPECT_EQ(at->reg->id, reg.id);
            EXPECT_EQ(at->block_index, block.count - 1U);
            EXPECT_EQ(at->index, reg.count - 1U);
            EXPECT_EQ(at->start, offset);
        }
    }
}

TEST(Registers, BlocksDoNotOverlap) {
    std::uint32_t end = 0;
    for (const auto& block : register_map()) {
        EXPECT_GE(block.base, end) << block.name;
        end = block.base + block.stride * block.count;
    }
    EXPECT_EQ(end, 0x233000U);
}

TEST(Registers, IndicesThatDoNotExistAreAnError) {
    EXPECT_THROW(offset_of(Reg::NtbLutEntry, 48, 0), std::out_of_range);
    EXPECT_THROW(offset_of(Reg::NtbLutEntry, 0, 512), std::out_of_range);
}

}  // namespace
}  // namespace switchtec::test
