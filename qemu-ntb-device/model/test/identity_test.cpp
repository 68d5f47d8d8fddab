// SPDX-License-Identifier: MIT
// Gen3, Gen4, Gen5 and PCI100x switches, as the drivers tell them apart.
#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

std::string product(const Bench& bench, Layout layout, unsigned length) {
    std::string text;
    for (unsigned i = 0; i < length; ++i)
        text += static_cast<char>(bench.chip.read(0, offset_of(Reg::SysProduct, 0, i, layout), 1));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

TEST(Identity, Gen4) {
    MrpcBench bench(device(0x4052));
    EXPECT_EQ(bench.chip.generation(), 4U);
    EXPECT_EQ(bench.chip.read(1, 0x2048, 1), 1U) << "partition_id";
    EXPECT_EQ(bench.chip.read(1, 0x2018, 4), 0U);
    EXPECT_EQ(bench.chip.read(0, 0x2008, 4) >> 24, 4U);
    EXPECT_EQ(bench.chip.read(0, 0x204C, 8), 0x0002'0008'0006'0004U) << "running images";
    EXPECT_EQ(bench.chip.read(0, 0x2110, 4), 0x4052'11F8U) << "of the bridges";
    EXPECT_EQ(product(bench, Layout::Gen4, 24), "PFX 52xG4");
}

// The offsets of struct sys_info_regs_gen3 and flash_info_regs_gen3 in Linux 6.12 include/linux/switchtec.h.
TEST(Identity, Gen3HasItsRegistersElsewhere) {
    MrpcBench bench(device(0x8533));
    EXPECT_EQ(bench.chip.generation(), 3U);
    EXPECT_EQ(bench.chip.read(1, 0x2000, 4), 0x8533U);
    EXPECT_EQ(bench.chip.read(1, 0x2018, 1), 1U) << "partition_id";
    EXPECT_EQ(bench.chip.read(1, 0x2048, 4), 0U);
    EXPECT_EQ(bench.chip.read(0, 0x2008, 4) >> 24, 1U);
    EXPECT_EQ(bench.chip.read(0, 0x2020, 4), 0x0003'0004U) << "image 0 and configuration 0 run";
    EXPECT_EQ(bench.chip.read(0, 0x2108, 8), 0x4D45'534F'5243'494DU) << "MICROSEM";
    EXPECT_EQ(product(bench, Layout::Gen3, 16), "PFX 48xG3");
    EXPECT_EQ(bench.chip.read(0, 0x212C, 2), 0x8533U) << "component_id";
    EXPECT_EQ(bench.chip.read(0, 0x2234, 4), 32U << 20) << "flash_length";
    const auto cfg0 = bench.chip.read(0, 0x2238, 4);
    EXPECT_EQ(bench.chip.read(0, 0x2210, 4), cfg0) << "cfg0 is active";
    const auto img0 = bench.chip.read(0, 0x2248, 4);
    EXPECT_EQ(bench.chip.read(0, 0x2204, 4), img0) << "img0 is active";
}

TEST(Identity, Gen3HostsComeTogether) {
    MrpcBench bench(device(0x8546));
    EXPECT_EQ(product(bench, Layout::Gen3, 16), "PSX 96xG3");
    EXPECT_EQ(bench.map_lut(1, 0, 0, 0x1234'0000), kNormal);
    EXPECT_EQ(bench.chip.translate(0, 2, 0x10), (Translation{1, 0x1234'0010}));
}

TEST(Identity, Gen5IsAsGen4) {
    MrpcBench bench(device(0x5184));
    EXPECT_EQ(bench.chip.generation(), 5U);
    EXPECT_EQ(bench.chip.read(1, 0x2048, 1), 1U);
    EXPECT_EQ(bench.chip.read(0, 0x2008, 4) >> 24, 6U);
    EXPECT_EQ(product(bench, Layout::Gen4, 24), "PSX 84xG5");
}

TEST(Identity, Pci100xKeepsTheVendorOfItsImages) {
    MrpcBench bench(device(0x1003, 2, 0x1055));
    EXPECT_EQ(bench.chip.vendor_id(), 0x1055U);
    EXPECT_EQ(bench.chip.generation(), 4U);
    EXPECT_EQ(bench.get(0, Reg::SysDeviceId), 0x1003U);
    EXPECT_EQ(bench.get(0, Reg::SysSubsystemVendorId), 0x1055U);
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(bench.get(0, Reg::PffVendorId, i), 0x11F8U) << "mainline counts by it";
    EXPECT_EQ(bench.get(0, Reg::PffVendorId, 4), 0U);
    EXPECT_EQ(bench.get(0, Reg::PffSubsystem, 1), 0x1003'1055U);
    EXPECT_EQ(product(bench, Layout::Gen4, 24), "PCI1003");
}

TEST(Identity, OthersAreRefused) {
    for (const auto& [vendor, id] : {std::pair<std::uint16_t, std::uint16_t>{0x11F8, 0x4252},
                                     {0x11F8, 0x6048},
                                     {0x11F8, 0x8551},
                                     {0x11F8, 0x8537},
                                     {0x11F8, 0x8530},
                                     {0x11F8, 0x4384},
                                     {0x11F8, 0x4053},
                                     {0x1055, 0x1007},
                                     {0x1055, 0x4052},
                                     {0x8086, 0x4052}}) {
        Memory memory;
        const auto chip = Chip::create(memory.span(), device(id, 2, vendor));
        ASSERT_FALSE(chip) << std::hex << vendor << ":" << id;
        EXPECT_NE(chip.error().message.find("none that is modelled"), std::string::npos);
    }
    for (std::uint16_t id : {0x8561, 0x8576, 0x4352, 0x4428, 0x5384, 0x5400}) {
        Memory memory;
        EXPECT_TRUE(Chip::create(memory.span(), device(id))) << std::hex << id;
    }
}

}  // namespace
}  // namespace switchtec::test
