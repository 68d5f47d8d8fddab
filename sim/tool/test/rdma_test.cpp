// SPDX-License-Identifier: MIT
// RDMA as RoPCIe does it, by what docs/ropcie.md says of its link and its transport.
#include "bench.h"

namespace ntblab::sim {
namespace {

TEST(Rdma, AMessageCostsWhatItsPartsDo) {
    const Hardware hardware = hardware_of();
    const auto store = measure(hardware, workload_of(Operation::pio_write, 1), 8).all.median;
    const auto bell = measure(hardware, workload_of(Operation::doorbell, 1), 4).all.median;
    const auto write = measure(hardware, workload_of(Operation::rdma_write), 8).all.median;
    const auto& rdma = hardware.profile.rdma;
    // Nobody is awake: it is the doorbell's interrupt that everything waits for.
    EXPECT_GT(write, bell + rdma.post + 2 * rdma.packet);
    EXPECT_LT(write, bell + store + rdma.post + 2 * rdma.packet + pcie::nanoseconds(400));
    const auto send = measure(hardware, workload_of(Operation::rdma_send), 8).all.median;
    EXPECT_NEAR(static_cast<double>(send), static_cast<double>(write + rdma.completion), 1.0);
}

TEST(Rdma, AReadGoesThereAndBack) {
    const Hardware hardware = hardware_of();
    const auto write = measure(hardware, workload_of(Operation::rdma_write), 8).all.median;
    const auto read = measure(hardware, workload_of(Operation::rdma_read), 8).all.median;
    EXPECT_GT(read, 3 * write / 2);
    EXPECT_LT(read, 2 * write + pcie::nanoseconds(1000));
}

TEST(Rdma, ADoorbellIsRungForWhoSleepsAlone) {
    const Hardware hardware = hardware_of();
    // One message at a time: the responder is woken for it, the requester for its acknowledgement.
    EXPECT_EQ(measure(hardware, workload_of(Operation::rdma_write, 20), 8).doorbells, 2 * 30U);
    const auto busy = measure(hardware, workload_of(Operation::rdma_write, 500, 64), 8).doorbells;
    EXPECT_GE(busy, 2U);
    EXPECT_LT(busy, 100U);
}

TEST(Rdma, LargeMessagesAreAsFastAsTheSlowestPart) {
    Hardware hardware = hardware_of();
    hardware.profile.rdma.copy_rate = 2;
    const double slow = measure(hardware, workload_of(Operation::rdma_write, 10, 2), 1 << 20).all.rate();
    const double segment = 4096.0 / (4096.0 / 2 + 200);  // bytes a nanosecond, with the work for a packet
    EXPECT_NEAR(slow, segment, 0.1 * segment);
    hardware.profile.rdma.copy_rate = 1000;
    const double fast = measure(hardware, workload_of(Operation::rdma_write, 10, 2), 1 << 20).all.rate();
    const double stores = measure(hardware, workload_of(Operation::pio_write, 10), 1 << 20).all.rate();
    EXPECT_GT(fast, 2 * slow);
    EXPECT_LT(fast, stores);
}

// A ring has 256 slots and 978,944 bytes; far more than that passes it, both ways.
TEST(Rdma, RingsGoRound) {
    for (const Operation operation : {Operation::rdma_write, Operation::rdma_read, Operation::rdma_send}) {
        Workload workload = workload_of(operation, 8, 4);
        workload.bytes = 64 << 20;
        EXPECT_EQ(measure(hardware_of(), workload, 512 << 10).all.transfers, 8U);
        EXPECT_EQ(measure(hardware_of(), workload_of(operation, 1000, 300), 100).all.transfers, 1000U);
    }
}

TEST(Rdma, BothWaysAtTheSameTime) {
    Workload workload = workload_of(Operation::rdma_write, 50, 4);
    workload.pattern = Pattern::all_to_all;
    const Measured measured = measure(hardware_of(), workload, 16384);
    ASSERT_EQ(measured.flows.size(), 2U);
    EXPECT_NEAR(measured.flows[0].point.rate(), measured.flows[1].point.rate(),
                0.05 * measured.flows[0].point.rate());
}

}  // namespace
}  // namespace ntblab::sim
