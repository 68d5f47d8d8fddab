// SPDX-License-Identifier: MIT
// Firmware commands about firmware: the emulator's version, a flash memory that holds no images.
#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

constexpr std::uint32_t kMiB32 = 1U << 20;

struct Part {
    std::uint64_t valid, active, start, dwords, read_only, in_use;
    bool operator==(const Part&) const = default;
};
Part part(const MrpcBench& bench, unsigned index) {
    const unsigned at = 64 + 32 * index;
    return {bench.output(at + 10, 1), bench.output(at + 11, 1), bench.output(at + 12, 4),
            bench.output(at + 24, 4), bench.output(at + 28, 1), bench.output(at + 29, 1)};
}

TEST(MrpcFirmware, PartsOfGen4) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x2B, {0}), kSuccess);
    EXPECT_EQ(bench.output(0, 4), bench.get(0, Reg::SysFirmwareVersion));
    EXPECT_EQ(bench.output(0, 4) >> 24, 4U);
    EXPECT_EQ(bench.output(4, 4), 32U * kMiB32);
    EXPECT_EQ(bench.output(8, 2), kGen4);
    EXPECT_EQ(part(bench, 8), (Part{1, 1, 8 * kMiB32, kMiB32 / 4, 1, 1})) << "img0";
    EXPECT_EQ(part(bench, 9), (Part{0, 0, 9 * kMiB32, kMiB32 / 4, 1, 0})) << "img1";
    EXPECT_EQ(part(bench, 10), (Part{1, 0, 10 * kMiB32, kMiB32 / 4, 1, 0})) << "nvlog";
    EXPECT_EQ(part(bench, 18), (Part{0, 0, 18 * kMiB32, kMiB32 / 4, 1, 0})) << "the last vendor part";
    EXPECT_EQ(bench.outputs(672, 352), Bytes(352));
    EXPECT_EQ(bench.get(0, Reg::FlashPart, 0, 8), std::uint64_t{kMiB32} << 32 | 8 * kMiB32)
        << "as flash_info";
    EXPECT_EQ(bench.call(0x2B, {4}), kBadSubcommand);
}

TEST(MrpcFirmware, PartsOfGen5HaveOneKindMore) {
    MrpcBench bench(device(kGen5));
    EXPECT_EQ(bench.call(0x2B, {4}), kSuccess);
    EXPECT_EQ(bench.output(0, 4) >> 24, 6U);
    EXPECT_EQ(part(bench, 4).active, 1U) << "riot0";
    EXPECT_EQ(part(bench, 10).start, 8 * kMiB32) << "img0";
    EXPECT_EQ(part(bench, 20).start, 18 * kMiB32);
    EXPECT_EQ(bench.outputs(736, 288), Bytes(288));
    EXPECT_EQ(bench.call(0x2B, {0}), kBadSubcommand);
}

TEST(MrpcFirmware, MetadataOfWhatIsThere) {
    MrpcBench bench(device(kGen4));
    for (std::uint8_t id : {0, 2, 4, 6, 8}) {
        EXPECT_EQ(bench.call(0x2B, {1, id}), kSuccess);
        EXPECT_EQ(bench.text(0, 8), "MSCC_MD ");
        EXPECT_EQ(bench.output(36, 4), bench.get(0, Reg::SysFirmwareVersion));
        EXPECT_EQ(bench.output(24, 4), 0U) << "no image";
        EXPECT_EQ(bench.output(628, 8), 0U);
    }
    for (std::uint8_t id : {1, 9, 10, 11, 0xFF}) EXPECT_EQ(bench.call(0x2B, {1, id}), kBadParameter) << +id;
    EXPECT_EQ(bench.call(0x2B, {2, 0xFE}), kBadParameter) << "no SEEPROM";
    MrpcBench gen5(device(kGen5));
    EXPECT_EQ(gen5.call(0x2B, {5, 10}), kSuccess);
    EXPECT_EQ(gen5.text(0, 8), "MSCC_MD ");
}

TEST(MrpcFirmware, OneConfiguration) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x1D, words({0})), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 0U);
    EXPECT_EQ(bench.call(0x1D, words({1})), kBadSubcommand);
}

TEST(MrpcFirmware, NothingCanBeDownloaded) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x05, words({0})), kSuccess) << "status";
    EXPECT_EQ(bench.output(0, 4), 0U);
    EXPECT_EQ(bench.call(0x05, {4, 0}), kSuccess);
    EXPECT_EQ(bench.output(0, 1), 1U) << "read only";
    for (const Bytes& input : {Bytes{1}, Bytes{2}, Bytes{4, 1}}) EXPECT_EQ(bench.call(0x05, input), kDenied);
}

TEST(MrpcFirmware, FlashOfGen4) {
    MrpcBench bench(device(kGen4));
    EXPECT_EQ(bench.call(0x1F, words({8 * kMiB32, 16})), kSuccess);
    EXPECT_EQ(bench.text(0, 8), "MSCC_MD ");
    EXPECT_EQ(bench.call(0x1F, words({8 * kMiB32 - 4, 8})), kSuccess) << "across its beginning";
    EXPECT_EQ(bench.text(0, 8), "\xFF\xFF\xFF\xFFMSCC");
    EXPECT_EQ(bench.call(0x1F, words({9 * kMiB32, 1016})), kSuccess);
    EXPECT_EQ(bench.outputs(0, 1016), Bytes(1016, 0xFF)) << "erased";
    EXPECT_EQ(bench.call(0x1F, words({0, 1017})), kBadParameter);
}

// What fw-info of switchtec-user reads: maps and footers at fixed addresses, the rest as flash_info says.
TEST(MrpcFirmware, FlashOfGen3) {
    MrpcBench bench(device(kGen3));
    const auto version = bench.chip.read(0, 0x2008, 4);
    EXPECT_EQ(version >> 24, 1U);
    EXPECT_EQ(bench.call(0x1F, words({0xA8020000, 4})), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 1U) << "the first map is the newer";
    EXPECT_EQ(bench.call(0x1F, words({0xA8040000, 4})), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 0U);
    const auto image = offset_of(Reg::FlashPart, 0, 2, Layout::Gen3);
    const auto end = bench.chip.read(0, image, 4) + bench.chip.read(0, image + 4, 4);
    for (std::uint32_t last :
         {std::uint32_t{0xA8010000}, std::uint32_t{0xA8030000}, static_cast<std::uint32_t>(end)}) {
        EXPECT_EQ(bench.call(0x1F, words({last - 28, 28})), kSuccess);
        EXPECT_EQ(bench.outputs(0, 4), (Bytes{'P', 'M', 'C', 0}));
        EXPECT_EQ(bench.output(12, 4), version);
    }
}

}  // namespace
}  // namespace switchtec::test
