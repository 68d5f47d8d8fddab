// SPDX-License-Identifier: MIT
// All 4 MiB of the GAS in every size, as "gas dump" of switchtec-user reads it, in every generation; and
// written.
#include <cstring>

#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

class GasSweep : public ::testing::TestWithParam<std::uint16_t> {};

TEST_P(GasSweep, EverySizeEverywhereSaysTheSame) {
    MrpcBench bench(device(GetParam()));
    bench.map_lut(1, 0, 3, 0x12'3456'0000);
    bench.set(0, Reg::InVectorMap, 0, 13, 0x5A);
    std::vector<std::uint8_t> bytes(kGasSize + 8);
    for (std::uint32_t offset = 0; offset < kGasSize; ++offset)
        bytes[offset] = static_cast<std::uint8_t>(bench.chip.read(0, offset, 1));
    for (unsigned size : {2U, 4U, 8U}) {
        for (std::uint32_t offset = 0; offset + size <= kGasSize; offset += size) {
            std::uint64_t expected = 0;
            std::memcpy(&expected, &bytes[offset], size);
            ASSERT_EQ(bench.chip.read(0, offset, size), expected) << std::hex << offset << " size " << size;
        }
    }
    EXPECT_EQ(bytes[0x2000] | bytes[0x2001] << 8, GetParam());
    EXPECT_TRUE(std::all_of(bytes.begin() + 0x233000, bytes.end(), [](std::uint8_t b) { return b == 0; }));
}

TEST_P(GasSweep, ReadingChangesNothing) {
    MrpcBench bench(device(GetParam()));
    const std::vector<std::byte> before(bench.memory.span().begin(), bench.memory.span().end());
    for (std::uint32_t offset = 0; offset < kGasSize; offset += 4) bench.chip.read(0, offset, 4);
    EXPECT_EQ(std::memcmp(before.data(), bench.memory.span().data(), before.size()), 0);
}

TEST_P(GasSweep, WritingWhatReadsAsReadOnlyChangesNothing) {
    MrpcBench bench(device(GetParam()));
    const Layout layout = GetParam() == kGen3 ? Layout::Gen3 : Layout::Gen4;
    for (std::uint32_t offset = 0; offset < kGasSize; ++offset) {
        const auto at = locate(offset, layout);
        if (at && at->reg->access != Access::ReadOnly) continue;
        const auto before = bench.chip.read(0, offset, 1);
        bench.chip.write(0, offset, ~before, 1);
        ASSERT_EQ(bench.chip.read(0, offset, 1), before) << std::hex << offset;
    }
}

INSTANTIATE_TEST_SUITE_P(Generations, GasSweep, ::testing::Values(kGen3, kGen4, kGen5));

}  // namespace
}  // namespace switchtec::test
