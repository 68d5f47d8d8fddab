// SPDX-License-Identifier: MIT
// Firmware commands about the ports.
#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

// Port numbers: x16 takes eight, so the second link is port 8, in the second stack.
TEST(MrpcPorts, LinkStatusOfBothHosts) {
    ChipConfig config = device(kGen4);
    config.partitions[1].link_generation = 3;
    config.partitions[1].link_width = 8;
    MrpcBench bench(config);
    EXPECT_EQ(bench.call(0x1C, words({0, 0})), kSuccess);
    EXPECT_EQ(bench.outputs(0, 12), (Bytes{0, 0, 0, 0x00, 16, 16, 1, 0x84, 0x03, 0x01, 0, 0}));
    EXPECT_EQ(bench.outputs(8 * 12, 12), (Bytes{8, 1, 0, 0x10, 8, 8, 1, 0x83, 0x03, 0x01, 0, 0}));
    for (unsigned port = 0; port < 52; ++port) {
        if (port == 0 || port == 8) continue;
        EXPECT_EQ(bench.outputs(port * 12, 12),
                  (Bytes{static_cast<std::uint8_t>(port), 0xFF, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0}));
    }
    EXPECT_EQ(bench.outputs(52 * 12, 12), Bytes(12));
}

TEST(MrpcPorts, AHostThatIsNotThereHasItsLinkDown) {
    MrpcBench bench(device(kGen4));
    bench.chip.detach(1);
    EXPECT_EQ(bench.call(0x1C), kSuccess);
    EXPECT_EQ(bench.outputs(8 * 12, 12), (Bytes{8, 1, 0, 0x10, 16, 0, 1, 0, 0x00, 0x01, 0, 0}));
    bench.chip.attach(1);
    EXPECT_EQ(bench.call(0x1C), kSuccess);
    EXPECT_EQ(bench.output(8 * 12 + 7, 1), 0x84U);
}

TEST(MrpcPorts, LinkStatusOfSomePorts) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x1C, words({1U << 8, 0})), kSuccess);
    EXPECT_EQ(bench.output(1, 1), 0xFFU);
    EXPECT_EQ(bench.output(8 * 12 + 1, 1), 1U);
}

TEST(MrpcPorts, CountByGeneration) {
    for (const auto& [id, count] : {std::pair{kGen3, 48U}, {kGen4, 52U}, {kGen5, 60U}}) {
        MrpcBench bench(device(id));
        EXPECT_EQ(bench.call(0x1C), kSuccess);
        EXPECT_EQ(bench.output((count - 1) * 12, 2), count - 1 + 0xFF00);
        EXPECT_EQ(bench.output(count * 12, 2), 0U);
    }
}

TEST(MrpcPorts, LinksThatFitNoSwitchAreNumberedByPartition) {
    ChipConfig config = config_of(8);
    MrpcBench bench(config);
    EXPECT_EQ(bench.call(0x1C), kSuccess);
    for (unsigned p = 0; p < 8; ++p) EXPECT_EQ(bench.output(p * 12 + 1, 1), p);
}

TEST(MrpcPorts, NarrowLinksShareAStack) {
    ChipConfig config = config_of(4);
    for (unsigned p = 0; p < 4; ++p)
        config.partitions[p].link_width = static_cast<std::uint8_t>(1U << p);  // x1 x2 x4 x8
    MrpcBench bench(config);
    EXPECT_EQ(bench.call(0x0B, words({0})), kSuccess);
    // Ports 0, 1, 2, 4.
    EXPECT_EQ(bench.outputs(0, 8), words({0, 0x0004021F}));
}

TEST(MrpcPorts, Binding) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x0C, {2, 0xFF}), kSuccess);
    EXPECT_EQ(bench.outputs(0, 16), (Bytes{2, 0, 0, 0, 0, 0, 0, 0x10, 8, 1, 0, 0x10, 0, 0, 0, 0}));
    EXPECT_EQ(bench.call(0x0C, {2, 8}), kSuccess);
    EXPECT_EQ(bench.outputs(0, 8), (Bytes{1, 0, 0, 0, 8, 1, 0, 0x10}));
    EXPECT_EQ(bench.call(0x0C, {2, 7}), 4U) << "physical port does not exist";
    EXPECT_EQ(bench.call(0x0C, {0, 1, 0, 8}), 8U) << "target is an upstream port";
    EXPECT_EQ(bench.call(0x0C, {0, 1, 0, 9}), 4U);
    EXPECT_EQ(bench.call(0x0C, {1, 0, 0, 2}), 8U);
    EXPECT_EQ(bench.call(0x0C, {1, 2, 0, 2}), 4U);
    EXPECT_EQ(bench.call(0x0C, {3}), 9U) << "sub-command does not exist";
}

TEST(MrpcPorts, Bifurcation) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x0B, {0, 1}), kSuccess);
    EXPECT_EQ(bench.outputs(0, 8), (Bytes{0, 1, 0, 0, 8, 0, 0, 0})) << "one x16 port";
    EXPECT_EQ(bench.call(0x0B, {0, 2}), kSuccess);
    EXPECT_EQ(bench.output(4, 4), 0U);
    EXPECT_EQ(bench.call(0x0B, {0, 6}), 0x54003U);
    EXPECT_EQ(bench.call(0x0B, {1, 0}), 0x54043U) << "port already bound";
    EXPECT_EQ(bench.call(0x0B, {2, 0}), 0x54040U);
}

TEST(MrpcPorts, TopConfigurationShowsThePorts) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.get(1, Reg::TopPartitionCount), 2U);
    EXPECT_EQ(bench.get(1, Reg::TopPartitionId), 1U);
    EXPECT_EQ(bench.get(1, Reg::TopPffCount), 4U);
    EXPECT_EQ(bench.chip.read(1, offset_of(Reg::TopPffPort), 8), 0xFFFF'FFFF'FF08'FF00U);
    EXPECT_EQ(bench.chip.read(1, offset_of(Reg::TopBifurcationValid), 8), 0x02'00000000'0101'01U);
}

}  // namespace
}  // namespace switchtec::test
