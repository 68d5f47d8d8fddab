// SPDX-License-Identifier: MIT
#include "runner.h"

#include "bench.h"

namespace ntblab::sim {
namespace {

TEST(Runner, APingPongIsHalfOfTheWayThereAndBack) {
    const Hardware hardware = hardware_of();
    const auto there = measure(hardware, workload_of(Operation::pio_write, 1), 64).all.median;
    const auto half = measure(hardware, workload_of(Operation::pio_pingpong, 5), 64).all.median;
    EXPECT_NEAR(static_cast<double>(half), static_cast<double>(there), 1000.0);
}

TEST(Runner, MoreTransfersUnderWayAreFasterAndNoneIsSooner) {
    const Hardware hardware = hardware_of();
    const auto one = measure(hardware, workload_of(Operation::dma_read, 50, 1), 256).all;
    const auto eight = measure(hardware, workload_of(Operation::dma_read, 50, 8), 256).all;
    EXPECT_GT(eight.rate(), 2 * one.rate());
    EXPECT_GE(eight.least, one.least);
}

TEST(Runner, TransfersEndAtTheBytesThatAreAllowedButNeverBelowTwo) {
    Workload workload = workload_of(Operation::dma_write, 100);
    workload.bytes = 64 << 10;
    EXPECT_EQ(measure(hardware_of(), workload, 4096).all.transfers, 16U);
    EXPECT_EQ(measure(hardware_of(), workload, 1 << 20).all.transfers, 2U);
    EXPECT_EQ(measure(hardware_of(), workload, 64).all.transfers, 100U);
}

TEST(Runner, TellsFlowsApart) {
    Workload workload = workload_of(Operation::dma_write, 10, 2);
    workload.pattern = Pattern::all_to_all;
    const Measured measured = measure(hardware_of("mesh3"), workload, 4096);
    ASSERT_EQ(measured.flows.size(), 6U);
    std::uint64_t transfers = 0;
    for (const auto& [flow, point] : measured.flows) {
        EXPECT_NE(flow.from, flow.to);
        EXPECT_EQ(point.transfers, 10U);
        transfers += point.transfers;
    }
    EXPECT_EQ(measured.all.transfers, transfers);
}

TEST(Runner, WantsBytes) {
    const Hardware hardware = hardware_of();
    EXPECT_THROW(simulate(hardware, {}, {{0, 1}}, 0, {}), std::invalid_argument);
    EXPECT_THROW(simulate(hardware, {}, {{0, 0}}, 64, {}), std::invalid_argument);
}

TEST(Runner, TellsHowFarItIs) {
    std::vector<double> parts;
    Hooks hooks;
    hooks.progress = [&](double part) { parts.push_back(part); };
    const Hardware hardware = hardware_of();
    simulate(hardware, workload_of(Operation::dma_write, 20), {{0, 1}}, 64, hooks);
    ASSERT_EQ(parts.size(), 30U);  // 10 of them to warm up
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    EXPECT_EQ(parts.back(), 1.0);
}

}  // namespace
}  // namespace ntblab::sim
