// SPDX-License-Identifier: MIT
// The register map is the driver's, and BAR0 can be read and written in any size at any offset.
#include <map>
#include <random>
#include <string>

#include "driver.h"

namespace switchtec::dma::test {
namespace {

TEST(Registers, AreWhereTheDriverHasThem) {
    EXPECT_EQ(offset_of(Reg::ChannelCount), 0x84);
    EXPECT_EQ(offset_of(Reg::TagLimit), 0x90);
    EXPECT_EQ(offset_of(Reg::StatusVector), 0x94);
    EXPECT_EQ(offset_of(Reg::BufferCount), 0x98);
    EXPECT_EQ(offset_of(Reg::BufferBase), 0x9A);
    EXPECT_EQ(offset_of(Reg::ResetHalt), 0x180);
    EXPECT_EQ(offset_of(Reg::CqHead, 1), 0x2000);
    EXPECT_EQ(offset_of(Reg::SqTail, 1), 0x2004);
    EXPECT_EQ(offset_of(Reg::ChannelControl, 1), 0x2008);
    EXPECT_EQ(offset_of(Reg::ChannelStatus, 1), 0x200C);
    EXPECT_EQ(offset_of(Reg::ValidEnable, 2), 0x160100);
    EXPECT_EQ(offset_of(Reg::CqBaseLow), 0x160004);
    EXPECT_EQ(offset_of(Reg::CqSize), 0x16000C);
    EXPECT_EQ(offset_of(Reg::SqBaseLow), 0x160010);
    EXPECT_EQ(offset_of(Reg::SqSize), 0x160018);
    EXPECT_EQ(offset_of(Reg::ChannelVector), 0x16001C);
    EXPECT_EQ(offset_of(Reg::PerfConfig), 0x160020);
    EXPECT_EQ(offset_of(Reg::LatencySelector), 0x160028);
    EXPECT_EQ(offset_of(Reg::DescriptorCountLow), 0x16002C);
    EXPECT_EQ(offset_of(Reg::ByteCountLow), 0x160034);
    EXPECT_EQ(offset_of(Reg::Pending), 0x160040);
    EXPECT_EQ(offset_of(Reg::IdleCycles), 0x160044);
    EXPECT_EQ(offset_of(Reg::LatencyMax), 0x160048);
    EXPECT_EQ(offset_of(Reg::LatencyLast), 0x160050);
    EXPECT_EQ(offset_of(Reg::SqCurrent), 0x160054);
    EXPECT_EQ(offset_of(Reg::CqPhase), 0x16005A);
    EXPECT_THROW(offset_of(Reg::CqHead, 64), std::out_of_range);
    EXPECT_THROW(offset_of(Reg::ChannelCount, 1), std::out_of_range);
}

TEST(Registers, DoNotOverlap) {
    std::uint32_t end = 0;
    for (const auto& block : register_map()) {
        EXPECT_GE(block.base, end) << block.name;
        end = block.base + block.stride * block.count;
        EXPECT_LE(end, std::uint32_t{NTB_DMA_BAR_SIZE});
        std::uint32_t last = 0;
        for (const auto& reg : block.registers) {
            EXPECT_GE(reg.offset, last) << reg.name;
            last = reg.offset + reg.size;
            EXPECT_LE(last, block.stride);
            EXPECT_EQ(reg.offset % std::min<unsigned>(reg.size, 4), 0) << reg.name;
        }
    }
}

TEST(Registers, HaveNames) {
    char text[64];
    EXPECT_STREQ(ntb_dma_register_name(0x84, text, sizeof(text)), "capability.chan_cnt");
    EXPECT_STREQ(ntb_dma_register_name(0x4005, text, sizeof(text)), "channel[3].sq_tail+0x1");
    EXPECT_STREQ(ntb_dma_register_name(0x160104, text, sizeof(text)), "channel_cfg[2].cq_base_lo");
    EXPECT_STREQ(ntb_dma_register_name(0x1010, text, sizeof(text)), "dma+0x1010");
    EXPECT_STREQ(ntb_dma_register_name(0x84, text, 5), "capa");
}

TEST(Registers, VersionsAreTheConfigurations) {
    FakeHost host;
    EXPECT_EQ(host.reg(0, 8), 0x200000001);
    EXPECT_EQ(host.reg(8, 4), 3);
}

TEST(Registers, WhatIsNotThereReadsZero) {
    FakeHost host(2);
    for (const std::uint32_t offset :
         {0x88U, 0x200U, 0x1002U, 0x1009U, 0x1010U, 0x3000U, 0x41000U, 0x160100U, 0x15FFFFU, 0x162000U,
          0x164000U, 0x165000U, 0x1FFFF8U, 0x200000U, 0xFFFFFFFFU}) {
        host.set(offset, ~0ULL, 1);
        EXPECT_EQ(host.reg(offset, 1), 0) << std::hex << offset;
    }
    host.set(0x1FFFFC, ~0ULL, 8);
    EXPECT_EQ(host.reg(0x1FFFFC, 8), 0);
    EXPECT_EQ(host.reg(0x84, 0), 0);
}

TEST(Registers, AnySizeAtAnyOffset) {
    FakeHost host;
    const auto base = offset_of(Reg::CqBaseLow);
    host.set(base, 0x1122334455667788, 8);
    EXPECT_EQ(host.reg(base, 8), 0x1122334455667788);
    EXPECT_EQ(host.reg(base + 3, 2), 0x4455);
    host.set(base + 3, 0xAABB, 2);
    EXPECT_EQ(host.reg(base, 8), 0x112233AABB667788);
    // Two registers, and what is between them.
    host.set(offset_of(Reg::CqSize), 0x1234567800000100, 8);
    EXPECT_EQ(host.reg(offset_of(Reg::CqSize), 2), 0x100);
    EXPECT_EQ(host.reg(offset_of(Reg::SqBaseLow), 4), 0x12345678);
}

TEST(Registers, ReadOnlyOnesStay) {
    FakeHost host;
    for (const auto& block : register_map()) {
        for (const auto& reg : block.registers) {
            if (reg.access == Access::ReadWrite || reg.id == Reg::IdleCycles) continue;
            const auto before = host.reg(block.base + reg.offset, reg.size);
            host.set(block.base + reg.offset, ~0ULL, reg.size);
            EXPECT_EQ(host.reg(block.base + reg.offset, reg.size), before) << reg.name;
        }
    }
}

TEST(Registers, RandomAccessesHurtNobody) {
    FakeHost host(4, 1U << 20);
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 100000; ++i) {
        const auto offset =
            static_cast<std::uint32_t>(random() % 3 == 0   ? random() % 0x200100
                                       : random() % 2 == 0 ? 0x1000 + random() % 5 * 0x1000 + random() % 16
                                                           : 0x160000 + random() % 0x280);
        const auto size = static_cast<unsigned>(1 + random() % 8);
        if (random() % 2 == 0) {
            host.set(offset, random() >> random() % 64, size);
        } else {
            host.reg(offset, size);
        }
    }
    ntb_dma_reset(host.dma);
    EXPECT_EQ(host.running, 0);
}

}  // namespace
}  // namespace switchtec::dma::test
