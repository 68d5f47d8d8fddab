// SPDX-License-Identifier: MIT
// Event headers.
#include "bench.h"

namespace switchtec::test {
namespace {

class Events : public ::testing::Test {
  protected:
    Events() {
        bench.boot(0);
        bench.boot(1);
    }
    std::uint32_t link(unsigned pff) { return bench.get(1, Reg::PffEvent, pff, kPffEventLinkState); }
    void write_link(unsigned pff, std::uint32_t value) {
        bench.set(1, Reg::PffEvent, pff, kPffEventLinkState, value);
    }
    unsigned count(std::uint32_t header) { return header >> kEventCountShift & 0xFF; }
    Bench bench{2};
};

TEST_F(Events, AttachResetAndDetachCountAtTheUpstreamPort) {
    Bench fresh(2);
    const auto header = [&] { return fresh.get(1, Reg::PffEvent, 2, kPffEventLinkState); };
    EXPECT_EQ(header(), 0U);
    fresh.chip.attach(1);
    EXPECT_EQ(header(), 1U << kEventCountShift | kEventOccurred);
    fresh.chip.reset(1);
    EXPECT_EQ(count(header()), 2U);
    fresh.chip.detach(1);
    EXPECT_EQ(count(header()), 3U);
    fresh.chip.detach(1);
    EXPECT_EQ(count(header()), 3U) << "it is gone already";
}

TEST_F(Events, BitZeroClearsAndTheCountStays) {
    const unsigned before = count(link(0));
    write_link(0, kEventOccurred | kEventEnableIrq);
    EXPECT_EQ(link(0), before << kEventCountShift | kEventEnableIrq);
    write_link(0, 0xFF << kEventCountShift | kEventEnableLog | kEventEnableCli | kEventFatal | 1U << 31);
    EXPECT_EQ(link(0), before << kEventCountShift | kEventEnableLog | kEventEnableCli | kEventFatal);
}

TEST_F(Events, WritingAHeaderBackWithBothBitsClearDisarmsItAndKeepsOccurred) {
    write_link(0, kEventOccurred | kEventEnableIrq);
    bench.chip.reset(0);
    write_link(0, link(0) & ~(kEventOccurred | kEventEnableIrq));
    EXPECT_EQ(link(0) & (kEventOccurred | kEventEnableIrq), kEventOccurred);
}

TEST_F(Events, EveryLinkChangeInterruptsAlsoWhenOccurredIsStillSet) {
    write_link(0, kEventOccurred | kEventEnableIrq);
    for (int i = 0; i < 3; ++i) {
        bench.chip.reset(0);
        EXPECT_EQ(bench.interrupts(1), Vectors{0}) << i;
    }
    bench.chip.detach(0);
    EXPECT_EQ(bench.interrupts(1), Vectors{0});
    bench.chip.attach(0);
    EXPECT_EQ(bench.interrupts(1), Vectors{0});
}

TEST_F(Events, NoInterruptUnlessEnabled) {
    bench.chip.reset(0);
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    EXPECT_EQ(link(0) & kEventOccurred, kEventOccurred);
}

TEST_F(Events, CountWraps) {
    const unsigned before = count(link(0));
    for (int i = 0; i < 256; ++i) bench.chip.reset(0);
    EXPECT_EQ(count(link(0)), before);
    EXPECT_EQ(link(0) >> 13, 0U) << "nothing spills into the bits above";
}

TEST_F(Events, EnablingTheInterruptOfWhatIsStillThereSendsIt) {
    bench.chip.reset(0);
    write_link(0, kEventEnableIrq);
    EXPECT_EQ(bench.interrupts(1), Vectors{0});
    write_link(0, kEventEnableIrq);
    EXPECT_EQ(bench.interrupts(1), Vectors{}) << "it was enabled already";
}

TEST_F(Events, SummariesShowWhatOccurred) {
    write_link(0, kEventOccurred);
    EXPECT_EQ(bench.get(1, Reg::PffSummary, 0), 0U);
    bench.chip.reset(0);
    EXPECT_EQ(bench.get(1, Reg::PffSummary, 0), 1U << 12);
    EXPECT_EQ(bench.get(1, Reg::PartSummary, 0), 1U << kPartEventReset);
    EXPECT_EQ(bench.get(1, Reg::GlobalPartitionEvents), 1U);
    bench.set(1, Reg::PartEvent, 0, kPartEventReset, kEventOccurred);
    EXPECT_EQ(bench.get(1, Reg::PartSummary, 0), 0U);
    EXPECT_EQ(bench.get(1, Reg::GlobalPartitionEvents), 0U);
    EXPECT_EQ(bench.get(1, Reg::GlobalSummary), 0U);
}

TEST_F(Events, HeadersOfAPeerSurviveAHostsReset) {
    write_link(0, kEventOccurred | kEventEnableIrq);
    write_link(2, kEventOccurred | kEventEnableIrq);
    bench.chip.reset(0);
    EXPECT_NE(link(0) & kEventEnableIrq, 0U);
    EXPECT_NE(link(2) & kEventEnableIrq, 0U);
}

TEST_F(Events, HeadersOfPortsThatDoNotExistReadZero) {
    bench.set(1, Reg::PffEvent, 4, kPffEventLinkState, kEventEnableIrq);
    EXPECT_EQ(link(4), 0U);
    bench.set(1, Reg::PartEvent, 2, 0, kEventEnableIrq);
    EXPECT_EQ(bench.get(1, Reg::PartEvent, 2, 0), 0U);
}

}  // namespace
}  // namespace switchtec::test
