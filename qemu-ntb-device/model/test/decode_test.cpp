// SPDX-License-Identifier: MIT
// Accesses as text, for traces.
#include <switchtec/decode.h>

#include <cstring>
#include <string>

#include "bench.h"

namespace switchtec::test {
namespace {

std::string text(std::uint32_t offset, unsigned size, std::uint64_t value, unsigned generation = 4) {
    char buffer[SWITCHTEC_TEXT_SIZE];
    return switchtec_describe(generation, offset, size, value, buffer, sizeof(buffer));
}

TEST(Decode, FieldsAndNamesOfValues) {
    EXPECT_EQ(text(0x16004, 4, 1), "ntb_ctrl[1].partition_op = 0x1 (op=LOCK)");
    EXPECT_EQ(text(0x14000, 4, 0x00010004),
              "ntb_ctrl[0].partition_status = 0x10004 (state=CONFIGURING owner=0x1 partition=0x0)");
    EXPECT_EQ(text(0x14010, 4, 0x00030002), "ntb_ctrl[0].bar_error = 0x30002 (code=LUT_EXCEEDS_BAR bar=0x2)");
    EXPECT_EQ(text(0x17018, 8, 0x1'2345'0003),
              "ntb_ctrl[1].lut_entry[3] = 0x123450003 (address_64k=0x12345 "
              "target=0x1 valid=0x1)");
    EXPECT_EQ(text(0x134D30, 4, 0x29),
              "pff_csr[0].link_state_hdr = 0x29 (occurred=0x1 en_log=0x0 en_cli=0x0 "
              "en_irq=0x1 fatal=0x0 count=0x1 not_supported=0x0)");
    EXPECT_EQ(text(0x800, 4, 0xFFFC001C), "mrpc.cmd = 0xfffc001c (command=LNKSTAT pax=0xfffc)");
    EXPECT_EQ(text(0x75000, 8, 0x10), "ntb_dbmsg[0].odb = 0x10");
    EXPECT_EQ(text(0x79068, 4, 4), "ntb_dbmsg[1].omsg[0].msg = 0x4 (message=FORCE_DOWN)");
}

TEST(Decode, PartsOfARegister) {
    EXPECT_EQ(text(0x75004, 4, 0x10), "ntb_dbmsg[0].odb+0x4 = 0x10");
    EXPECT_EQ(text(0x75000, 4, 0x10), "ntb_dbmsg[0].odb:4 = 0x10");
}

TEST(Decode, SeveralRegistersInOneAccess) {
    EXPECT_EQ(text(0x10000, 8, 0x3'0000'0102),
              "ntb_info.partition_count = 0x2, ntb_info.partition_id = 0x1, "
              "ntb_info.ep_map:4 = 0x3");
    EXPECT_EQ(text(0x79088, 8, 0x01'00000003),
              "ntb_dbmsg[1].imsg[0].msg = 0x3 (message=CHECK_LINK), "
              "ntb_dbmsg[1].imsg[0].status = 0x1, ntb_dbmsg[1].imsg[0].mask = "
              "0x0, ntb_dbmsg[1].imsg[0].src = 0x0");
}

TEST(Decode, WhereNoRegisterIs) {
    EXPECT_EQ(text(0x3FFFFC, 4, 0), "gas+0x3ffffc = 0x0");
    EXPECT_EQ(text(0x75800, 4, 7), "ntb_dbmsg[0]+0x1800 = 0x7");
    SwitchtecRegister reg;
    EXPECT_FALSE(switchtec_decode(4, 0x75800, &reg));
    EXPECT_FALSE(switchtec_decode(4, 0xFFFFFFFF, &reg));
}

TEST(Decode, ByGeneration) {
    EXPECT_EQ(text(0x2018, 4, 1, 3), "sys_info.partition_id = 0x1");
    EXPECT_EQ(text(0x2048, 4, 1, 4), "sys_info.partition_id = 0x1");
    EXPECT_EQ(text(0x2048, 4, 1, 5), "sys_info.partition_id = 0x1");
    EXPECT_EQ(text(0x2048, 4, 1, 3), "sys_info+0x48 = 0x1");
}

TEST(Decode, ARegisterByItsParts) {
    SwitchtecRegister reg;
    ASSERT_TRUE(switchtec_decode(4, 0x1701C, &reg));
    EXPECT_STREQ(reg.region, "ntb_ctrl");
    EXPECT_EQ(reg.block, 1);
    EXPECT_STREQ(reg.name, "lut_entry[3]");
    EXPECT_EQ(reg.size, 8U);
    EXPECT_EQ(reg.byte, 4U);
    EXPECT_STREQ(reg.access, "staged");
    EXPECT_NE(std::strstr(reg.meaning, "bus address"), nullptr);
    ASSERT_TRUE(switchtec_decode(4, 0x2000, &reg));
    EXPECT_EQ(reg.block, -1);
    EXPECT_STREQ(reg.access, "RO");
}

TEST(Decode, TextIsCut) {
    char buffer[8];
    EXPECT_STREQ(switchtec_describe(4, 0x16004, 4, 1, buffer, sizeof(buffer)), "ntb_ctr");
    EXPECT_STREQ(switchtec_describe(4, 0x16004, 4, 1, buffer, 1), "");
}

TEST(Decode, EveryAccessFits) {
    for (std::uint32_t offset = 0; offset < kGasSize; offset += 5) {
        ASSERT_LT(text(offset, 8, ~0ULL).size(), SWITCHTEC_TEXT_SIZE - 1U) << offset;
        ASSERT_FALSE(text(offset, 1, 0).empty());
        SwitchtecRegister reg;
        if (switchtec_decode(4, offset, &reg)) {
            ASSERT_LT(std::strlen(reg.name), sizeof(reg.name) - 1U) << offset;
        }
    }
}

}  // namespace
}  // namespace switchtec::test
