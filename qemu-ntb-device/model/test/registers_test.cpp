// SPDX-License-Identifier: MIT
// The register table: no two registers share a byte, and each byte has a name.
#include <switchtec/gas.h>

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
    EXPECT_EQ(name(0x76010), "ntb_dbmsg[0].msix_table[4]");
    EXPECT_EQ(name(0x75800), "ntb_dbmsg[0]+0x1800");
    EXPECT_EQ(name(0x1007), "top_cfg.partition_count");
    EXPECT_EQ(name(0x233000), "gas+0x233000");
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
    for (Layout layout : {Layout::Gen3, Layout::Gen4}) {
        for (const auto& block : register_map()) {
            std::set<unsigned> taken;
            for (const auto& reg : block.registers) {
                if (!reg.in(layout)) continue;
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
}

TEST(Registers, EachIsInALayoutOnce) {
    for (Layout layout : {Layout::Gen3, Layout::Gen4}) {
        std::set<Reg> seen;
        for (const auto& block : register_map()) {
            for (const auto& reg : block.registers) {
                if (!reg.in(layout)) continue;
                EXPECT_TRUE(seen.insert(reg.id).second) << reg.name;
                const auto offset = offset_of(reg.id, block.count - 1U, reg.count - 1U, layout);
                const auto at = locate(offset, layout);
                ASSERT_TRUE(at) << reg.name;
                EXPECT_EQ(at->reg->id, reg.id);
                EXPECT_EQ(at->block_index, block.count - 1U);
                EXPECT_EQ(at->index, reg.count - 1U);
                EXPECT_EQ(at->start, offset);
            }
        }
    }
}

TEST(Registers, FieldsLieInTheirRegisterAndApart) {
    unsigned count = 0;
    for (const auto& block : register_map()) {
        for (const auto& reg : block.registers) {
            std::uint64_t taken = 0;
            for (const FieldInfo& field : fields(reg.id)) {
                ASSERT_LE(field.low, field.high) << reg.name << "." << field.name;
                ASSERT_LT(field.high, 8 * reg.size) << reg.name << "." << field.name;
                for (unsigned bit = field.low; bit <= field.high; ++bit) {
                    ASSERT_FALSE(taken >> bit & 1) << reg.name << "." << field.name;
                    taken |= 1ULL << bit;
                }
                ++count;
            }
        }
    }
    EXPECT_GT(count, 50U);
}

// What Linux 6.12 include/linux/switchtec.h says.
TEST(Registers, SysInfoAndFlashInfoOfGen3AreElsewhere) {
    const auto gen3 = [](Reg reg) { return offset_of(reg, 0, 0, Layout::Gen3); };
    EXPECT_EQ(gen3(Reg::SysPartitionId), 0x2018U);
    EXPECT_EQ(gen3(Reg::SysRunningConfig), 0x2020U);
    EXPECT_EQ(gen3(Reg::SysRunningImage), 0x2022U);
    EXPECT_EQ(gen3(Reg::SysVendor), 0x2108U);
    EXPECT_EQ(gen3(Reg::SysProduct), 0x2110U);
    EXPECT_EQ(gen3(Reg::SysRevision), 0x2120U);
    EXPECT_EQ(gen3(Reg::SysComponentId), 0x212CU);
    EXPECT_EQ(gen3(Reg::FlashActiveImage), 0x2204U);
    EXPECT_EQ(gen3(Reg::FlashActiveConfig), 0x2210U);
    EXPECT_EQ(gen3(Reg::FlashLength), 0x2234U);
    EXPECT_EQ(gen3(Reg::FlashPart), 0x2238U);
    EXPECT_EQ(offset_of(Reg::SysPartitionId), 0x2048U);
    EXPECT_THROW(gen3(Reg::SysRunningBl2), std::out_of_range);
    EXPECT_THROW(offset_of(Reg::SysComponentId), std::out_of_range);
    char buffer[kRegisterNameSize];
    EXPECT_STREQ(register_name(0x2018, buffer, Layout::Gen3), "sys_info.partition_id");
    EXPECT_STREQ(register_name(0x2018, buffer), "sys_info+0x18");
}

TEST(Registers, TheHeaderForCSaysTheSame) {
    EXPECT_EQ(SwitchtecDoorbellsBase + 3 * SwitchtecDoorbellsStride + SwitchtecOutDoorbell,
              offset_of(Reg::OutDoorbell, 3));
    EXPECT_EQ(SwitchtecSysInfoBase + SwitchtecGen3SysPartitionId,
              offset_of(Reg::SysPartitionId, 0, 0, Layout::Gen3));
    EXPECT_EQ(SwitchtecPffCount, 255);
    EXPECT_EQ(SwitchtecGasSize, kGasSize);
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
