// SPDX-License-Identifier: MIT
// Creating, opening and configuring a switch: what is refused, and how it is said.
#include <cstring>
#include <functional>

#include "bench.h"

namespace switchtec::test {
namespace {

std::string error_of(const ChipConfig& config) {
    Memory memory;
    const auto chip = Chip::create(memory.span(), config);
    return chip ? "" : chip.error().message;
}

std::string error_of_partition(const std::function<void(PartitionConfig&)>& change) {
    ChipConfig config = config_of(2);
    change(config.partitions[1]);
    return error_of(config);
}

TEST(Config, NamesPartitionFieldValueAndRange) {
    EXPECT_EQ(error_of_partition([](auto& p) { p.requester_ids = 1; }),
              "partition 1: requester_ids is 1; set it to 2..512");
    EXPECT_EQ(error_of_partition([](auto& p) { p.vectors = 3; }),
              "partition 1: vectors is 3; set it to 4..32");
    EXPECT_EQ(error_of_partition([](auto& p) { p.lut_entries = 513; }),
              "partition 1: lut_entries is 513; set it to 0..512");
    EXPECT_EQ(error_of_partition([](auto& p) { p.link_generation = 0; }),
              "partition 1: link_generation is 0; set it to 1..5");
    EXPECT_EQ(error_of_partition([](auto& p) { p.link_width = 3; }),
              "partition 1: link_width is 3; set it to 1, 2, 4, 8 or 16");
    EXPECT_EQ(error_of_partition([](auto& p) { p.bar2_size = 3 * kMiB; }),
              "partition 1: bar2_size is 3145728 bytes; set it to 0 (no window) or a power of two from 64 "
              "KiB to 64 TiB");
    EXPECT_EQ(error_of_partition([](auto& p) { p.bar4_size = 4096; }),
              "partition 1: bar4_size is 4096 bytes; set it to 0 (no window) or a power of two from 64 KiB "
              "to 64 TiB");
    EXPECT_EQ(error_of_partition([](auto& p) { p.targets = 2; }),
              "partition 1: targets is 0x2; set only bits of the other partitions, 0..1");
    EXPECT_EQ(error_of_partition([](auto& p) { p.targets = 4; }),
              "partition 1: targets is 0x4; set only bits of the other partitions, 0..1");
}

TEST(Config, AManagementEndpointHasNoWindows) {
    EXPECT_EQ(
        error_of_partition([](auto& p) { p.function = Function::Management; }),
        "partition 1: a management endpoint has windows (bar2_size 67108864, bar4_size 67108864) or targets "
        "(0x0); set them to 0");
}

TEST(Config, MrpcDmaVersion) {
    EXPECT_EQ(error_of_partition([](auto& p) { p.mrpc_dma_version = 2; }),
              "partition 1: mrpc_dma_version is 2; set it to 0..1");
}

TEST(Config, NumberOfPartitions) {
    EXPECT_EQ(error_of(config_of(0)), "the switch has 0 partitions; give it 1..48");
    EXPECT_EQ(error_of(config_of(49)), "the switch has 49 partitions; give it 1..48");
    EXPECT_EQ(error_of(config_of(48)), "");
}

TEST(Config, MemoryTooSmallOrMisaligned) {
    Memory memory;
    EXPECT_NE(Chip::create(memory.span().first(100), config_of(2)).error().message.find("100 bytes"),
              std::string::npos);
    std::vector<std::byte> larger(Chip::state_size() + 64);
    auto* odd = larger.data() + (reinterpret_cast<std::uintptr_t>(larger.data()) % 2 == 0 ? 1 : 0);
    EXPECT_NE(Chip::create({odd, Chip::state_size()}, config_of(2)).error().message.find("align it"),
              std::string::npos);
}

TEST(Config, OpenFindsTheSameSwitchAtAnotherAddress) {
    Bench bench(2);
    bench.boot(0);
    bench.boot(1);
    bench.map_lut(1, 0, 0, 0x10000);
    Memory copy;
    std::memcpy(copy.span().data(), bench.memory.span().data(), Chip::state_size());
    const Chip chip = Chip::open(copy.span()).value();
    EXPECT_EQ(chip.windows(0), bench.chip.windows(0));
    EXPECT_EQ(chip.partitions(), 2U);
    EXPECT_EQ(chip.device_id(), 0x4052);
}

TEST(Config, OpenRefusesWhatIsNoSwitchOrAnotherLayout) {
    Memory memory;
    std::memset(memory.span().data(), 0, Chip::state_size());
    EXPECT_NE(Chip::open(memory.span()).error().message.find("no switch"), std::string::npos);
    ASSERT_TRUE(Chip::create(memory.span(), config_of(2)));
    ASSERT_TRUE(Chip::open(memory.span()));
    memory.span()[8] = std::byte{99};
    EXPECT_NE(Chip::open(memory.span()).error().message.find("layout version 99"), std::string::npos);
}

TEST(Config, ConfigureADetachedPartition) {
    Bench bench(2);
    bench.boot(0);
    ASSERT_EQ(bench.map_lut(0, 1, 0, 0x10000), kNormal);
    PartitionConfig config = bench.chip.config(1);
    ASSERT_TRUE(bench.chip.configure(1, config));
    EXPECT_NE(bench.get(0, Reg::NtbLutEntry, 1, 0), 0U) << "nothing has changed";
    config.bar2_size = 0;
    config.vectors = 8;
    ASSERT_TRUE(bench.chip.configure(1, config));
    EXPECT_EQ(bench.chip.config(1), config);
    EXPECT_EQ(bench.get(0, Reg::NtbLutEntry, 1, 0), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbBarCtl, 1, 2), 0U);
    EXPECT_EQ(bench.get(0, Reg::NtbBarCtl, 1, 4), kBarValid);
}

TEST(Config, ConfigureIsRefusedWhileAttachedOrOutOfRange) {
    Bench bench(2);
    bench.chip.attach(1);
    EXPECT_EQ(bench.chip.configure(1, {}).error().message,
              "partition 1 cannot be configured while a host is attached: detach it first");
    PartitionConfig config;
    config.vectors = 33;
    EXPECT_EQ(bench.chip.configure(0, config).error().message, "partition 0: vectors is 33; set it to 4..32");
    EXPECT_EQ(bench.chip.config(0).vectors, 4);
}

TEST(Config, PartitionsThatDoNotExistAreAnError) {
    Bench bench(2);
    EXPECT_THROW(bench.chip.read(2, 0, 4), std::out_of_range);
    EXPECT_THROW(bench.chip.attach(2), std::out_of_range);
}

}  // namespace
}  // namespace switchtec::test
