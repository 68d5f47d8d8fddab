// SPDX-License-Identifier: MIT
// The DMA function's requests at the NT endpoint: whether the requester-ID table lists them, and what is told
// of those that it refuses.
#include "bench.h"

namespace switchtec::test {
namespace {

constexpr std::uint16_t kNtb = 0x0100, kDma = 0x0101;

ChipConfig with_dma(std::uint8_t devfn) {
    ChipConfig config = pairs(2);
    for (PartitionConfig& partition : config.partitions) partition.dma_devfn = devfn;
    return config;
}

class DmaRequester : public testing::Test {
  protected:
    std::uint64_t last_entry(unsigned host) const {
        return bench.get(host, Reg::NtbRequesterEntry, host, chip.config(host).requester_ids - 1);
    }

    Bench bench{with_dma(kDma & 0xFF)};
    Chip& chip = bench.chip;
};

TEST_F(DmaRequester, IsListedOnceTheHostHasNumberedItsBus) {
    chip.attach(0);
    EXPECT_EQ(last_entry(0) & kRequesterValid, 0U);
    EXPECT_FALSE(chip.admit(0, kDma));
    chip.set_requester_id(0, kNtb);
    EXPECT_EQ(last_entry(0) >> 16, kDma);
    EXPECT_EQ(last_entry(0) & kRequesterValid, kRequesterValid);
    EXPECT_TRUE(chip.admit(0, kDma));
    EXPECT_FALSE(chip.admit(0, kNtb)) << "that is the driver's to list";
}

TEST_F(DmaRequester, FollowsTheBusNumberAndSurvivesAReset) {
    chip.attach(0);
    chip.set_requester_id(0, kNtb);
    chip.set_requester_id(0, 0x0300);
    EXPECT_TRUE(chip.admit(0, 0x0301));
    EXPECT_FALSE(chip.admit(0, kDma));
    chip.reset(0);
    EXPECT_TRUE(chip.admit(0, 0x0301));
    chip.detach(0);
    chip.attach(0);
    EXPECT_FALSE(chip.admit(0, 0x0301));
}

TEST_F(DmaRequester, StaysBesideWhatTheDriverLists) {
    bench.boot(0);
    chip.set_requester_id(0, kNtb);
    bench.configure(0, 0, [&] { bench.set(0, Reg::NtbRequesterEntry, 0, 1, kNtb << 16 | kRequesterValid); });
    for (const std::uint16_t requester : {std::uint16_t{0}, kNtb, kDma})
        EXPECT_TRUE(chip.admit(0, requester));
    EXPECT_NE(chip.proxy(0, kDma), chip.proxy(0, kNtb));
}

TEST_F(DmaRequester, ADriverMayTakeItOutOfTheTable) {
    bench.boot(0);
    chip.set_requester_id(0, kNtb);
    const unsigned last = chip.config(0).requester_ids - 1U;
    bench.configure(0, 0,
                    [&] { bench.set(0, Reg::NtbRequesterEntry, 0, last, 0x0BADU << 16 | kRequesterValid); });
    EXPECT_FALSE(chip.admit(0, kDma));
    chip.set_requester_id(0, 0x0300);
    EXPECT_EQ(last_entry(0) >> 16, 0x0BADU);
}

TEST_F(DmaRequester, AnEntryThatWasBeingWrittenIsRepaired) {
    bench.boot(0);
    chip.set_requester_id(0, kNtb);
    chip.repair();
    EXPECT_TRUE(chip.admit(0, kDma));
    EXPECT_EQ(last_entry(0) >> 16, kDma);
}

TEST_F(DmaRequester, ASnapshotHasItsTable) {
    bench.boot(0);
    chip.set_requester_id(0, kNtb);
    const auto saved = chip.save(0).value();
    chip.detach(0);
    chip.attach(0);
    ASSERT_TRUE(chip.load(0, saved));
    chip.set_requester_id(0, kNtb);
    chip.set_bus_master(0, true);
    chip.resumed(0);
    ASSERT_TRUE(chip.load_windows(0, saved).value());
    for (const std::uint16_t requester : {std::uint16_t{0}, kDma})
        EXPECT_TRUE(chip.admit(0, requester)) << requester;
}

TEST(DmaRequesterStrict, IsRefusedAndThatIsCountedAndLogged) {
    Bench bench(with_dma(0));
    bench.boot(0);
    bench.chip.set_requester_id(0, kNtb);
    EXPECT_EQ(bench.chip.refused(0).requests, 0U);
    for (unsigned i = 0; i < 3; ++i) EXPECT_FALSE(bench.chip.admit(0, kDma));
    EXPECT_EQ(bench.chip.refused(0).requests, 3U);
    EXPECT_EQ(bench.chip.refused(0).requester_id, kDma);
    EXPECT_EQ(bench.chip.refused(1).requests, 0U);
    bench.chip.reset(0);
    EXPECT_EQ(bench.chip.refused(0).requests, 0U);
}

TEST(DmaRequesterStrict, PassesWhenProtectionIsOff) {
    Bench bench(with_dma(0));
    bench.boot(0);
    bench.configure(0, 0, [&] { bench.set(0, Reg::NtbPartitionCtrl, 0, 0, kCtrlProtectionOff); });
    EXPECT_TRUE(bench.chip.admit(0, kDma));
}

}  // namespace
}  // namespace switchtec::test
