// SPDX-License-Identifier: MIT
// Bandwidth, latency and event counters, as switchtec-user reads them.
#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

constexpr std::uint8_t kPort0 = 0, kPort1 = 8;  // Of partitions 0 and 1.

struct Bandwidth {
    std::uint64_t us, out_posted, out_completion, out_non_posted, in_posted, in_completion, in_non_posted;
    bool operator==(const Bandwidth&) const = default;
};

class Pmon : public ::testing::Test {
  protected:
    Pmon() {
        // Payload only, from here on.
        EXPECT_EQ(bench.call(0x07, {12, 2, kPort0, 1, kPort1, 1}), kSuccess);
    }
    Bandwidth bandwidth(std::uint8_t port, bool clear = false) {
        EXPECT_EQ(bench.call(0x07, {1, 1, port, clear}), kSuccess);
        std::uint64_t value[7];
        for (unsigned i = 0; i < 7; ++i) value[i] = bench.output(8 * i, 8);
        return {value[0], value[1], value[2], value[3], value[4], value[5], value[6]};
    }
    std::uint32_t events(std::uint8_t stack, std::uint8_t counter, bool clear = false) {
        EXPECT_EQ(bench.call(0x07, {2, stack, counter, 1, clear}), kSuccess);
        return static_cast<std::uint32_t>(bench.output(0, 4));
    }
    void set_up(std::uint8_t stack, std::uint8_t counter, std::uint32_t types, std::uint8_t ports,
                bool egress, std::uint32_t threshold = 0) {
        Bytes input = {0, stack, counter, 1};
        for (std::uint8_t b : words({types << 8 | ports})) input.push_back(b);
        input.push_back(static_cast<std::uint8_t>(egress ? 0x80 : 0));
        for (std::uint8_t b : words({threshold})) input.push_back(b);
        EXPECT_EQ(bench.call(0x07, input), kSuccess);
    }
    MrpcBench bench{device(kGen4)};
};

constexpr std::uint32_t kUnsupported = 1U << 0, kPosted = 1U << 20, kCompletion = 1U << 21,
                        kNonPosted = 1U << 22;

TEST_F(Pmon, ForwardedTlpsEnterAtOnePortAndLeaveAtTheOther) {
    bench.chip.forwarded({.from = 0, .to = 1, .tlp = Tlp::Posted, .tlps = 3, .payload = 700});
    bench.chip.forwarded({.from = 1, .to = 0, .tlp = Tlp::NonPosted});
    bench.chip.forwarded({.from = 0, .to = 1, .tlp = Tlp::Completion, .tlps = 1, .payload = 64});
    EXPECT_EQ(bandwidth(kPort0), (Bandwidth{0, 0, 0, 0, 700, 64, 0}));
    EXPECT_EQ(bandwidth(kPort1), (Bandwidth{0, 700, 64, 0, 0, 0, 0}));
}

TEST_F(Pmon, WithHeadersASumOfPayloadAndOverhead) {
    EXPECT_EQ(bench.call(0x07, {12, 2, kPort0, 0, kPort1, 0}), kSuccess);
    bench.chip.forwarded({.from = 0, .to = 1, .tlp = Tlp::Posted, .tlps = 3, .payload = 700});
    bench.chip.forwarded({.from = 0, .to = 1, .tlp = Tlp::NonPosted, .tlps = 2});
    bench.chip.forwarded({.from = 0, .to = 1, .tlp = Tlp::Completion, .tlps = 1, .payload = 64});
    EXPECT_EQ(bandwidth(kPort1), (Bandwidth{0, 700 + 3 * 24, 64 + 20, 2 * 24, 0, 0, 0}));
}

TEST_F(Pmon, RegisterAccessesAndInterruptsCount) {
    bench.chip.count_access(0, /*write=*/false, 4);
    bench.chip.count_access(0, /*write=*/true, 8);
    bench.set(1, Reg::InVectorMap, 1, 5, 2);
    bench.set(1, Reg::InDoorbellMask, 1, 0, ~0ULL);
    bench.set(0, Reg::OutDoorbellMask, 0, 0, ~0ULL);
    bench.set(0, Reg::OutDoorbell, 0, 0, 1U << 5);
    EXPECT_EQ(bench.interrupts(1), Vectors{2});
    EXPECT_EQ(bandwidth(kPort0), (Bandwidth{0, 0, 4, 0, 8, 0, 0}));
    EXPECT_EQ(bandwidth(kPort1), (Bandwidth{0, 4, 0, 0, 0, 0, 0})) << "an MSI-X message";
}

TEST_F(Pmon, MrpcAnswersByDmaCount) {
    bench.set(1, Reg::MrpcDmaEnable, 0, 0, 1);
    bench.set(1, Reg::MrpcCommand, 0, 0, 0x41);
    bench.apply_dma(1);
    bench.interrupts(1);
    EXPECT_EQ(bandwidth(kPort1), (Bandwidth{0, 16 + 1024 + 4, 0, 0, 0, 0, 0}));
}

TEST_F(Pmon, TimeAndClear) {
    bench.now += 5'000'000;
    bench.chip.forwarded({.from = 0, .to = 1, .payload = 100});
    EXPECT_EQ(bandwidth(kPort1), (Bandwidth{5000, 100, 0, 0, 0, 0, 0}));
    EXPECT_EQ(bandwidth(kPort1, /*clear=*/true), (Bandwidth{5000, 100, 0, 0, 0, 0, 0}));
    bench.now += 7'000;
    EXPECT_EQ(bandwidth(kPort1), (Bandwidth{7, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(bandwidth(kPort0).us, 5007U) << "each port has its own";
}

TEST_F(Pmon, ManyPortsInOneCommand) {
    bench.chip.forwarded({.from = 0, .to = 1, .payload = 100});
    EXPECT_EQ(bench.call(0x07, {1, 2, kPort1, 0, kPort0, 0}), kSuccess);
    EXPECT_EQ(bench.output(8, 8), 100U);
    EXPECT_EQ(bench.output(56 + 32, 8), 100U);
    EXPECT_EQ(bench.call(0x07, {1, 2, kPort1, 1, 3, 0}), kBadPort);
    EXPECT_EQ(bandwidth(kPort1).out_posted, 100U) << "a command with an error changes nothing";
    EXPECT_EQ(bench.call(0x07, {1, 19}), kBadParameter) << "19 answers are too long";
    EXPECT_EQ(bench.call(0x07, {7}), kBadSubcommand);
}

TEST_F(Pmon, LatencyLastAndLargest) {
    EXPECT_EQ(bench.call(0x07, {4, 1, kPort1, 0x3F}), kSuccess);
    for (std::uint64_t ns : {150U, 900U, 130U})
        bench.chip.forwarded({.from = 0, .to = 1, .payload = 4, .latency_ns = ns});
    EXPECT_EQ(bench.call(0x07, {6, 2, 0, kPort1, kPort0}), kSuccess);
    EXPECT_EQ(bench.outputs(0, 8), words({900U << 16 | 130, 0}));
    EXPECT_EQ(bench.call(0x07, {6, 1, 1, kPort1}), kSuccess);
    EXPECT_EQ(bench.call(0x07, {6, 1, 0, kPort1}), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 0U) << "cleared by the read before";
}

TEST_F(Pmon, LatencyFromOnePort) {
    EXPECT_EQ(bench.call(0x07, {4, 1, kPort1, kPort1}), kSuccess);
    bench.chip.forwarded({.from = 0, .to = 1, .latency_ns = 500});
    EXPECT_EQ(bench.call(0x07, {6, 1, 0, kPort1}), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 0U);
    EXPECT_EQ(bench.call(0x07, {5, 1, 0, kPort1}), kSuccess);
    EXPECT_EQ(bench.output(0, 1), kPort1);
    EXPECT_EQ(bench.call(0x07, {4, 1, kPort1, kPort0}), kSuccess);
    bench.chip.forwarded({.from = 0, .to = 1, .latency_ns = 70'000});
    EXPECT_EQ(bench.call(0x07, {6, 1, 0, kPort1}), kSuccess);
    EXPECT_EQ(bench.output(0, 4), 0xFFFF'FFFFU) << "16 bits saturate";
    EXPECT_EQ(bench.call(0x07, {4, 1, kPort1, 5}), kBadPort);
}

TEST_F(Pmon, EventCountersCountWhatTheirMaskSays) {
    set_up(0, 0, kPosted, 1U << 0, /*egress=*/false);
    set_up(0, 1, kPosted | kNonPosted | kUnsupported, 0xFF, /*egress=*/false);
    set_up(1, 0, kCompletion, 1U << 0, /*egress=*/true);
    set_up(1, 63, kPosted, 1U << 1, /*egress=*/true);
    bench.chip.forwarded({.from = 0, .to = 1, .tlps = 5, .payload = 99});
    bench.chip.forwarded({.from = 0, .to = 1, .tlp = Tlp::Completion, .tlps = 2, .payload = 9});
    bench.chip.count_unsupported(0, /*write=*/false, 4);
    EXPECT_EQ(events(0, 0), 5U);
    EXPECT_EQ(events(0, 1), 5U + 1 + 1);
    EXPECT_EQ(events(1, 0), 2U);
    EXPECT_EQ(events(1, 63), 0U) << "no port there";
    EXPECT_EQ(events(0, 1, /*clear=*/true), 7U);
    EXPECT_EQ(events(0, 1), 0U);
    EXPECT_EQ(bench.call(0x07, {3, 0, 1, 1}), kSuccess);
    EXPECT_EQ(bench.output(0, 4), (kPosted | kNonPosted | kUnsupported) << 8 | 0xFF);
    EXPECT_EQ(bench.call(0x07, {2, 6, 0, 1}), kBadStack);
    EXPECT_EQ(bench.call(0x07, {2, 0, 60, 5}), kBadParameter);
}

TEST_F(Pmon, AllCountersInOneCommand) {
    set_up(0, 63, kPosted, 1, /*egress=*/false, 1000);
    bench.chip.forwarded({.from = 0, .to = 1, .tlps = 5});
    EXPECT_EQ(bench.call(0x07, {2, 0, 0, 64, 0}), kSuccess);
    EXPECT_EQ(bench.output(63 * 8, 8), 1000ULL << 32 | 5);
    EXPECT_EQ(bench.call(0x07, {3, 0, 0, 64}), kSuccess);
    EXPECT_EQ(bench.output(63 * 9, 4), kPosted << 8 | 1);
    EXPECT_EQ(bench.output(63 * 9 + 5, 4), 1000U);
}

TEST_F(Pmon, AThresholdIsAnEventOnce) {
    bench.set(0, Reg::PffEvent, 0, kPffEventThreshold, kEventOccurred | kEventEnableIrq);
    set_up(0, 0, kPosted, 1, /*egress=*/false, 10);
    bench.chip.forwarded({.from = 0, .to = 1, .tlps = 9});
    EXPECT_EQ(bench.get(0, Reg::PffEvent, 0, kPffEventThreshold) & kEventOccurred, 0U);
    bench.chip.forwarded({.from = 0, .to = 1, .tlps = 9});
    bench.chip.forwarded({.from = 0, .to = 1, .tlps = 9});
    const auto header = bench.get(0, Reg::PffEvent, 0, kPffEventThreshold);
    EXPECT_EQ(header, kEventOccurred | kEventEnableIrq | 1U << kEventCountShift);
    EXPECT_EQ(bench.get(0, Reg::PffSummary, 0) >> kPffEventThreshold & 1, 1U);
    EXPECT_EQ(bench.interrupts(0), Vectors{0});
    events(0, 0, /*clear=*/true);
    bench.chip.forwarded({.from = 0, .to = 1, .tlps = 10});
    EXPECT_EQ(bench.get(0, Reg::PffEvent, 0, kPffEventThreshold) >> kEventCountShift & 0xFF, 2U);
}

}  // namespace
}  // namespace switchtec::test
