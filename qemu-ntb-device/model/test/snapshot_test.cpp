// SPDX-License-Identifier: MIT
// A host that is saved, ends, and goes on: what it finds, and what its peers see.
#include <cstring>

#include "bench.h"

namespace switchtec::test {
namespace {

class Snapshot : public ::testing::Test {
  protected:
    Snapshot() { set_up(bench); }

    static void set_up(Bench& bench) {
        for (unsigned p = 0; p < 3; ++p) bench.boot(p);
        bench.map_lut(1, 0, 0, 0x10000);  // 0 sees 1 and 2, 1 sees 0.
        bench.map_lut(2, 0, 1, 0x20000);
        bench.map_direct(1, 0, 4, 0x4000'0000, kMiB);
        bench.map_lut(0, 1, 3, 0x30000);
        bench.map_direct(0, 1, 4, 0x5000'0000, kMiB);
        bench.apply_windows();
    }
    std::vector<std::byte> saved(unsigned partition) { return chip.save(partition).value(); }
    void go_on(unsigned partition, const std::vector<std::byte>& bytes) { go_on(bench, partition, bytes); }
    static void go_on(Bench& bench, unsigned partition, const std::vector<std::byte>& bytes) {
        bench.chip.attach(partition);
        const auto loaded = bench.chip.load(partition, bytes);
        ASSERT_TRUE(loaded) << loaded.error().message;
        bench.chip.set_bus_master(partition, true);
        bench.chip.resumed(partition);
        const auto opened = bench.chip.load_windows(partition, bytes);
        ASSERT_TRUE(opened) << opened.error().message;
        EXPECT_TRUE(*opened);
        bench.apply_windows();
    }
    std::string refusal(unsigned partition, const std::vector<std::byte>& bytes) {
        const auto loaded = chip.load(partition, bytes);
        return loaded ? "loaded" : loaded.error().message;
    }

    Bench bench{3};
    Chip& chip = bench.chip;
};

TEST_F(Snapshot, OpensTheWindowsOfBothSidesAgain) {
    const auto windows_of_0 = chip.windows(0), windows_of_1 = chip.windows(1);
    ASSERT_EQ(windows_of_0.size(), 3U);
    ASSERT_EQ(windows_of_1.size(), 2U);
    const auto bytes = saved(1);
    chip.detach(1);
    EXPECT_EQ(chip.windows(0).size(), 1U) << "while it is away they are closed";
    go_on(1, bytes);
    EXPECT_EQ(chip.windows(0), windows_of_0);
    EXPECT_EQ(chip.windows(1), windows_of_1);
}

TEST_F(Snapshot, ItsDriverSeesTheLinkDownBeforeTheWindowsAreThere) {
    const auto bytes = saved(1);
    chip.detach(1);
    chip.attach(1);
    bench.set(1, Reg::PffEvent, 2, kPffEventLinkState, kEventEnableIrq | kEventOccurred);
    ASSERT_TRUE(chip.load(1, bytes));
    chip.set_bus_master(1, true);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    chip.resumed(1);
    EXPECT_EQ(bench.interrupts(1), Vectors{0});
    EXPECT_TRUE(chip.windows(1).empty());
    EXPECT_EQ(chip.windows(0).size(), 1U);
    EXPECT_TRUE(chip.load_windows(1, bytes).value());
    EXPECT_EQ(chip.windows(1).size(), 2U);
    EXPECT_EQ(bench.interrupts(1), Vectors{0}) << "to look again";
}

TEST_F(Snapshot, KeepsTheRegistersOfTheHost) {
    bench.set(1, Reg::OutDoorbellMask, 1, 0, 0xFF00);
    bench.set(1, Reg::InDoorbellMask, 1, 0, 0xF0);
    bench.set(1, Reg::InVectorMap, 1, 5, 2);
    bench.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
    bench.set(0, Reg::OutDoorbell, 0, 0, 0x121);
    bench.set(1, Reg::MrpcDmaAddress, 0, 0, 0x1234'5678'0000);
    bench.set(1, Reg::PartEvent, 1, kPartEventMrpcComp, kEventEnableIrq);
    const auto bytes = saved(1);
    chip.detach(1);
    go_on(1, bytes);
    EXPECT_EQ(bench.get(1, Reg::OutDoorbellMask, 1), 0xFF00U);
    EXPECT_EQ(bench.get(1, Reg::InDoorbellMask, 1), 0xF0U);
    EXPECT_EQ(bench.get(1, Reg::InVectorMap, 1, 5), 2U);
    EXPECT_EQ(bench.get(1, Reg::InDoorbell, 1), 0x121U);
    EXPECT_EQ(bench.get(1, Reg::MrpcDmaAddress), 0x1234'5678'0000U);
    EXPECT_EQ(bench.get(1, Reg::PartEvent, 1, kPartEventMrpcComp) & kEventEnableIrq, kEventEnableIrq);
    EXPECT_EQ(bench.get(1, Reg::NtbRequesterEntry, 1, 0) & kRequesterValid, kRequesterValid);
    const Vectors raised = bench.interrupts(1);
    EXPECT_TRUE(std::find(raised.begin(), raised.end(), 2U) != raised.end())
        << "the doorbell that it had not seen rings when it can send interrupts";
}

TEST_F(Snapshot, BothEndsSeeALinkStateEvent) {
    bench.set(0, Reg::PffEvent, 2, kPffEventLinkState, kEventEnableIrq | kEventOccurred);
    const auto bytes = saved(1);
    chip.detach(1);
    bench.interrupts(0);
    const auto count = bench.get(0, Reg::PffEvent, 2, kPffEventLinkState) >> kEventCountShift;
    go_on(1, bytes);
    EXPECT_GE(
        (bench.get(0, Reg::PffEvent, 2, kPffEventLinkState) >> kEventCountShift & 0xFF) - (count & 0xFF), 2U)
        << "one at least when it is there, one when its windows are";
    EXPECT_EQ(bench.interrupts(0), Vectors{0});
}

TEST_F(Snapshot, APeerThatWasResetHasNoWindowsBack) {
    const auto bytes = saved(1);
    chip.detach(1);
    chip.reset(0);
    bench.boot(0);
    go_on(1, bytes);
    EXPECT_TRUE(chip.windows(1).empty()) << "what was at these addresses of its memory is gone";
    EXPECT_TRUE(chip.windows(0).empty());
}

TEST_F(Snapshot, WhatAPeerSetUpMeanwhileStays) {
    const auto bytes = saved(1);
    chip.detach(1);
    bench.map_lut(0, 1, 3, 0x70000);
    go_on(1, bytes);
    ASSERT_EQ(chip.windows(1).size(), 2U);
    EXPECT_EQ(chip.translate(1, 2, 3 * kLutBytes)->address, 0x70000U);
}

TEST_F(Snapshot, WhatAPeerTookBackMeanwhileStaysClosed) {
    const auto bytes = saved(1);
    chip.detach(1);
    bench.configure(0, 1, [&] { bench.set(0, Reg::NtbLutEntry, 1, 3, 0); });
    bench.configure(0, 1, [&] { bench.set(0, Reg::NtbBarTranslation, 1, 4, 0); });
    go_on(1, bytes);
    EXPECT_TRUE(chip.windows(1).empty()) << "the peer's driver may have freed the memory behind them";
    EXPECT_EQ(chip.windows(0).size(), 3U) << "those of the peer to this host are there";
}

TEST_F(Snapshot, OfAllHostsGoOnAtANewSwitchInAnyOrder) {
    const std::vector<std::vector<std::byte>> all = {saved(0), saved(1), saved(2)};
    for (const auto& order : std::vector<std::vector<unsigned>>{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
        Bench other{3};
        other.now = 77;
        for (unsigned p : order) go_on(other, p, all[p]);
        for (unsigned p = 0; p < 3; ++p) EXPECT_EQ(other.chip.windows(p), chip.windows(p)) << "host " << p;
    }
}

TEST_F(Snapshot, IsRefusedWhileSomebodySetsUpWindows) {
    bench.op(1, 0, kOpLock);
    EXPECT_EQ(chip.save(1).error().message,
              "control block 0 is locked by partition 1, which sets up windows or has failed to: save again "
              "when it is unlocked");
    EXPECT_TRUE(chip.save(2)) << "another host does not mind";
    bench.op(1, 0, kOpReset);
    bench.apply_windows();
    const auto bytes = saved(1);
    chip.detach(1);
    bench.op(2, 1, kOpLock);
    chip.attach(1);
    ASSERT_TRUE(chip.load(1, bytes));
    EXPECT_FALSE(chip.load_windows(1, bytes).value()) << "later";
    bench.op(2, 1, kOpReset);
    bench.apply_windows();
    EXPECT_TRUE(chip.load_windows(1, bytes).value());
}

TEST_F(Snapshot, ThatIsNoneIsRefusedAndChangesNothing) {
    auto bytes = saved(1);
    EXPECT_EQ(refusal(2, bytes),
              "the snapshot is of partition 1 of 3 of a 11f8:4052, this is partition 2 of 3 of a 11f8:4052");
    chip.detach(1);
    EXPECT_EQ(refusal(1, bytes), "partition 1 has no host attached that could go on");
    PartitionConfig larger;
    larger.bar4_size = 128 * kMiB;
    ASSERT_TRUE(chip.configure(1, larger));
    chip.attach(1);
    EXPECT_EQ(refusal(1, bytes),
              "partition 1 has other BARs, vectors or link than when it was saved; start it with the same "
              "topology");
    bytes.pop_back();
    EXPECT_NE(refusal(1, bytes).find("windows, which need"), std::string::npos);
    bytes.resize(100);
    EXPECT_NE(refusal(1, bytes).find("a snapshot of 100 bytes"), std::string::npos);
    bytes.assign(1 << 20, std::byte{0x5A});
    EXPECT_EQ(refusal(1, bytes), "these bytes are no snapshot of a Switchtec partition");
    EXPECT_EQ(bench.get(1, Reg::InDoorbellMask, 1), 0U);
}

// A file may have been written by anybody.
TEST_F(Snapshot, WithAnyByteChangedIsLoadedOrRefused) {
    const auto good = saved(1);
    for (std::size_t at = 0; at < good.size(); at += at < 1024 ? 1 : 13) {
        auto bytes = good;
        bytes[at] ^= std::byte{0xFF};
        chip.detach(1);
        chip.attach(1);
        (void)chip.load(1, bytes);
        chip.set_bus_master(1, true);
        (void)chip.load_windows(1, bytes);
        bench.apply_windows();
        bench.interrupts(1);
        for (unsigned p = 0; p < 3; ++p) {
            for (const WindowSpan& span : chip.windows(p))
                ASSERT_LT(span.target, 3) << "byte " << at << " changed";
        }
    }
}

}  // namespace
}  // namespace switchtec::test
