// SPDX-License-Identifier: MIT
// What a switch says about itself, up to 48 partitions of it.
#include <cstring>
#include <string>

#include "bench.h"

namespace switchtec::test {
namespace {

TEST(Partitions, InformationOfAPair) {
    Bench bench(pairs(2));
    for (unsigned p : {0U, 1U}) {
        EXPECT_EQ(bench.get(p, Reg::NtbPartitionCount), 2U);
        EXPECT_EQ(bench.get(p, Reg::NtbPartitionId), p);
        EXPECT_EQ(bench.get(p, Reg::NtbEndpointMap), 0x3U);
        EXPECT_EQ(bench.get(p, Reg::SysPartitionId), p);
        EXPECT_EQ(bench.get(p, Reg::SysDeviceId), 0x4052U);
        EXPECT_EQ(bench.get(p, Reg::NtbTargetLow, 0, 0), 0x2U);
        EXPECT_EQ(bench.get(p, Reg::NtbTargetLow, 0, 1), 0x1U);
        EXPECT_EQ(bench.get(p, Reg::NtbCrosslink), 0U) << "no crosslink";
        EXPECT_EQ(bench.chip.read(p, offset_of(Reg::PartVepVector, p), 4), 0U)
            << "event vector, read as 32 bits";
    }
}

TEST(Partitions, Fortyeight) {
    Bench bench(48);
    EXPECT_EQ(bench.chip.read(47, offset_of(Reg::NtbPartitionCount), 2), 47U << 8 | 48);
    EXPECT_EQ(bench.get(0, Reg::NtbEndpointMap), (1ULL << 48) - 1);
    bench.boot(47);
    bench.boot(46);
    ASSERT_EQ(bench.map_lut(46, 47, 0, 0x10000), kNormal);
    EXPECT_EQ(bench.chip.windows(47), (std::vector<WindowSpan>{{2, 46, 0, kLutBytes, 0x10000}}));
    EXPECT_EQ(bench.get(0, Reg::PffVendorId, 95), 0x11F8U);
    EXPECT_EQ(bench.get(0, Reg::PffVendorId, 96), 0U);
}

TEST(Partitions, WithoutAnEndpointAreNotInTheMapAndReachedByNobody) {
    ChipConfig config = config_of(3);
    config.partitions[1].function = Function::None;
    Bench bench(config);
    EXPECT_EQ(bench.get(0, Reg::NtbEndpointMap), 0b101U);
    EXPECT_EQ(bench.get(0, Reg::NtbPartitionCount), 3U) << "it counts as a partition";
    bench.boot(0);
    bench.boot(2);
    bench.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
    bench.set(0, Reg::OutDoorbell, 0, 0, 1);
    EXPECT_EQ(bench.get(2, Reg::InDoorbell, 2), 1U);
    EXPECT_EQ(bench.get(0, Reg::NtbTargetLow, 0, 0) & 2, 0U);
}

TEST(Partitions, OfAManagementEndpoint) {
    ChipConfig config = config_of(3);
    config.partitions[0].targets = 2;
    config.partitions[1].targets = 1;
    config.partitions[2] = {.bar2_size = 0, .bar4_size = 0, .function = Function::Management};
    Bench bench(config);
    bench.boot(0);
    bench.boot(1);
    bench.chip.attach(2);
    bench.chip.set_bus_master(2, true);
    EXPECT_EQ(bench.get(2, Reg::NtbEndpointMap), 0b011U) << "it has no NT endpoint";
    EXPECT_EQ(bench.get(2, Reg::PffClass, 5) >> 8, 0x058000U);
    EXPECT_EQ(bench.get(2, Reg::PffClass, 1) >> 8, 0x068000U) << "that of partition 0";
    EXPECT_EQ(bench.get(2, Reg::PffClass, 4) >> 8, 0x060400U) << "its upstream port";
    EXPECT_EQ(bench.get(2, Reg::PffBar, 5, 0), 0xCU);
    EXPECT_EQ(bench.get(2, Reg::PffBar, 5, 2), 0U);
    bench.chip.write(2, offset_of(Reg::MrpcInput), 0x12345678, 4);
    bench.set(2, Reg::MrpcCommand, 0, 0, 0x41);
    EXPECT_EQ(bench.chip.read(2, offset_of(Reg::MrpcOutput), 4), ~0x12345678U) << "it can ask the firmware";
    bench.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
    bench.set(0, Reg::OutDoorbell, 0, 0, 1);
    EXPECT_EQ(bench.get(2, Reg::InDoorbell, 2), 0U) << "nobody rings it";
    bench.map_lut(2, 0, 0, 0x10000);
    EXPECT_TRUE(bench.chip.windows(0).empty()) << "nor reaches its memory, even if it offers it";
}

TEST(Partitions, PairAcrossBit32) {
    ChipConfig config = config_of(41);
    config.partitions[3].targets = 1ULL << 40;
    config.partitions[40].targets = 1ULL << 3;
    Bench bench(config);
    bench.boot(3);
    bench.boot(40);
    EXPECT_EQ(bench.get(0, Reg::NtbTargetLow, 0, 3), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbTargetHigh, 0, 3), 1U << 8);
    EXPECT_EQ(bench.get(0, Reg::NtbTargetLow, 0, 40), 1U << 3);
    ASSERT_EQ(bench.map_lut(40, 3, 0, 0x10000), kNormal);
    ASSERT_EQ(bench.map_direct(40, 3, 4, 0x2000'0000, kMiB), kNormal);
    EXPECT_EQ(bench.chip.translate(3, 2, 0)->target, 40);
    EXPECT_EQ(bench.chip.translate(3, 4, 0), (Translation{40, 0x2000'0000}));
    bench.set(3, Reg::OutDoorbellMask, 3, 0, ~0ULL);
    bench.set(3, Reg::OutDoorbell, 3, 0, 1ULL << 35);
    EXPECT_EQ(bench.get(40, Reg::InDoorbell, 40), 1ULL << 35);
    bench.set(3, Reg::MessageMap, 3, 0, (2 | 40 << 2) << 16);
    bench.set(40, Reg::InVectorMap, 40, 62, 2);
    bench.chip.end_message_gaps(40);
    bench.set(3, Reg::OutMessage, 3, 2, 0xAB);
    EXPECT_EQ(bench.chip.read(40, offset_of(Reg::InMessage, 40, 2), 8), 0xAB | 1ULL << 32 | 3ULL << 48);
}

TEST(Partitions, BlocksOfPartitionsThatDoNotExistReadZero) {
    Bench bench(2);
    bench.chip.attach(0);
    for (std::uint32_t block : {0x14000U + 2 * 0x2000, 0x14000U + 47 * 0x2000, 0x4000U + 2 * 0x400}) {
        for (std::uint32_t offset = 0; offset < 0x400; offset += 4) {
            bench.chip.write(0, block + offset, 1, 4);
            ASSERT_EQ(bench.chip.read(0, block + offset, 4), 0U) << std::hex << block + offset;
        }
    }
    // Where the DMA-alias quirk looks for partitions beyond 47: the doorbell region.
    EXPECT_EQ(bench.chip.read(0, 0x14000 + 48 * 0x2000 + 0x1C, 2), 0U);
    EXPECT_EQ(bench.chip.read(0, 0x14000 + 63 * 0x2000 + 0x1C, 2), 0U);
}

TEST(Partitions, PortImages) {
    ChipConfig config = config_of(2);
    config.partitions[1].link_generation = 3;
    config.partitions[1].link_width = 8;
    config.partitions[1].bar4_size = 0;
    Bench bench(config);
    bench.chip.attach(1);
    EXPECT_EQ(bench.get(0, Reg::PartUspPff, 1), 2U);
    EXPECT_EQ(bench.get(0, Reg::PartVepPff, 1), 3U);
    EXPECT_EQ(bench.get(0, Reg::PartDspPff, 1, 46), 0xFFU);
    EXPECT_EQ(bench.get(0, Reg::PffVendorId, 3), 0x11F8U);
    EXPECT_EQ(bench.get(0, Reg::PffDeviceId, 3), 0x4052U);
    EXPECT_EQ(bench.get(0, Reg::PffClass, 2) >> 8, 0x060400U);
    EXPECT_EQ(bench.get(0, Reg::PffClass, 3) >> 8, 0x068000U);
    EXPECT_EQ(bench.get(0, Reg::PffBar, 3, 2), 0xCU);
    EXPECT_EQ(bench.get(0, Reg::PffBar, 3, 4), 0U);
    const auto image = 0x134000U + 3 * 0x1000;
    EXPECT_EQ(bench.chip.read(0, image + 0x74, 4) >> 16 & 0xF, 3U);
    EXPECT_EQ(bench.chip.read(0, image + 0x74, 4) >> 20 & 0x3F, 8U);
    // The capability list ends, and holds MSI, MSI-X, PM and PCIe.
    std::vector<unsigned> ids;
    for (unsigned at = bench.chip.read(0, image + 0x34, 1); at != 0;
         at = bench.chip.read(0, image + at + 1, 1)) {
        ids.push_back(bench.chip.read(0, image + at, 1));
    }
    EXPECT_EQ(ids, (std::vector<unsigned>{0x05, 0x11, 0x01, 0x10}));
    EXPECT_EQ(bench.chip.read(0, image + 0x54, 4), 0x7A000U) << "MSI-X table of partition 1";
}

TEST(Partitions, TextRegisters) {
    Bench bench(1);
    std::string text;
    for (unsigned i = 0; i < 8; ++i) text.push_back(static_cast<char>(bench.get(0, Reg::SysVendor, 0, i)));
    EXPECT_EQ(text, "MICROSEM");
}

TEST(Partitions, FlashPartitionsDoNotOverlap) {
    Bench bench(1);
    std::uint32_t end = 0;
    for (unsigned i = 0; i < 19; ++i) {
        const auto part = bench.get(0, Reg::FlashPart, 0, i);
        EXPECT_GE(part & 0xFFFFFFFF, end);
        end = static_cast<std::uint32_t>(part) + static_cast<std::uint32_t>(part >> 32);
    }
    EXPECT_LE(end, bench.get(0, Reg::FlashLength));
}

}  // namespace
}  // namespace switchtec::test
