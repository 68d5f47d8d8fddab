// SPDX-License-Identifier: MIT
// Answers to firmware commands by DMA, as Linux 6.12 switchtec.c uses them.
#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

constexpr std::uint64_t kBuffer = 0x1'2345'6000;

class MrpcDmaAnswer : public ::testing::Test {
  protected:
    MrpcDmaAnswer() {
        bench.set(0, Reg::PartEvent, 0, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
        bench.set(0, Reg::MrpcDmaAddress, 0, 0, kBuffer);
        bench.set(0, Reg::MrpcDmaEnable, 0, 0, 1);
    }
    void run(std::uint32_t command, std::uint32_t input) {
        bench.chip.write(0, offset_of(Reg::MrpcInput), input, 4);
        bench.set(0, Reg::MrpcCommand, 0, 0, command);
    }
    MrpcBench bench{device(kGen4)};
};

TEST_F(MrpcDmaAnswer, VersionAndVector) {
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaVersion), 1U);
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaVector), 3U) << "ntb_hw_switchtec takes 1 and 2, the event has 0";
}

TEST_F(MrpcDmaAnswer, DataBeforeHeaderBeforeInterrupt) {
    run(0xFFFC0041, 0x12345678);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcInProgress);
    EXPECT_EQ(bench.interrupts(0), Vectors{}) << "the interrupt waits for the host's memory";
    const auto dma = bench.chip.take_mrpc_dma(0);
    ASSERT_TRUE(dma);
    EXPECT_EQ(dma->address, kBuffer);
    EXPECT_EQ(dma->data_address, kBuffer + 16) << "written first";
    EXPECT_EQ(Bytes(dma->header.begin(), dma->header.end()), words({kMrpcDone, 0x41, 0, 1024}));
    EXPECT_EQ(Bytes(dma->data.begin(), dma->data.begin() + 8), words({0xEDCBA987, 0}));
    EXPECT_FALSE(bench.chip.take_mrpc_dma(0)) << "once";
    bench.chip.mrpc_dma_done(0, dma->number);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcDone);
    EXPECT_EQ(bench.interrupts(0), Vectors{3});
    bench.chip.mrpc_dma_done(0, dma->number);
    EXPECT_EQ(bench.interrupts(0), Vectors{}) << "once";
}

TEST_F(MrpcDmaAnswer, TheHandlerOfTheDriverClearsTheEvent) {
    run(0x41, 0);
    bench.apply_dma(0);
    EXPECT_EQ(bench.get(0, Reg::PartEvent, 0, kPartEventMrpcComp) & kEventOccurred, kEventOccurred);
    bench.set(0, Reg::PartEvent, 0, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
    EXPECT_EQ(bench.get(0, Reg::PartEvent, 0, kPartEventMrpcComp) & 0x1F, kEventEnableIrq);
    EXPECT_EQ(bench.interrupts(0), Vectors{3}) << "and no event interrupt beside it";
}

TEST_F(MrpcDmaAnswer, AnErrorIsInTheHeader) {
    run(0x42, 0);
    const auto dma = bench.chip.take_mrpc_dma(0);
    ASSERT_TRUE(dma);
    EXPECT_EQ(Bytes(dma->header.begin(), dma->header.end()), words({kMrpcError, 0x42, kBadCommand, 0}));
    bench.chip.mrpc_dma_done(0, dma->number);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcError);
}

TEST_F(MrpcDmaAnswer, AddressIsWrittenInHalvesAsWell) {
    const auto address = offset_of(Reg::MrpcDmaAddress);
    bench.chip.write(0, address, 0x5555'6000, 4);
    bench.chip.write(0, address + 4, 0x7, 4);
    run(0x41, 0);
    const auto dma = bench.chip.take_mrpc_dma(0);
    ASSERT_TRUE(dma);
    EXPECT_EQ(dma->address, 0x7'5555'6000U);
}

TEST_F(MrpcDmaAnswer, SwitchedOffItIsPolledAgain) {
    bench.set(0, Reg::MrpcDmaEnable, 0, 0, 0);
    bench.set(0, Reg::MrpcDmaAddress, 0, 0, 0);
    EXPECT_EQ(bench.call(0x41), kSuccess);
    EXPECT_FALSE(bench.chip.take_mrpc_dma(0));
    EXPECT_EQ(bench.interrupts(0), Vectors{0});
}

TEST_F(MrpcDmaAnswer, WithoutBusMasteringNothingIsWritten) {
    bench.chip.set_bus_master(0, false);
    EXPECT_EQ(bench.call(0x41), kSuccess) << "the registers still answer";
    EXPECT_FALSE(bench.chip.take_mrpc_dma(0));
}

TEST_F(MrpcDmaAnswer, ACommandThatComesTooEarlyIsNotCompletedByTheOneBefore) {
    run(0x41, 1);
    const auto first = bench.chip.take_mrpc_dma(0);
    run(0x41, 2);
    bench.chip.mrpc_dma_done(0, first->number);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcInProgress);
    EXPECT_EQ(bench.interrupts(0), Vectors{});
    bench.apply_dma(0);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcDone);
}

TEST_F(MrpcDmaAnswer, ResetForgetsIt) {
    run(0x41, 0);
    const auto dma = bench.chip.take_mrpc_dma(0);
    bench.chip.reset(0);
    EXPECT_FALSE(bench.chip.take_mrpc_dma(0));
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaEnable), 0U);
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaAddress), 0U);
    bench.chip.mrpc_dma_done(0, dma->number);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), 0U) << "an answer that was under way comes too late";
}

TEST(MrpcDmaVersion, ZeroHasNoDma) {
    ChipConfig config = device(kGen4);
    config.partitions[0].mrpc_dma_version = 0;
    MrpcBench bench(config);
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaVersion), 0U);
    EXPECT_EQ(bench.get(1, Reg::MrpcDmaVersion), 1U);
    bench.set(0, Reg::MrpcDmaAddress, 0, 0, kBuffer);
    bench.set(0, Reg::MrpcDmaEnable, 0, 0, 1);
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaAddress), 0U);
    EXPECT_EQ(bench.call(0x41), kSuccess);
    EXPECT_FALSE(bench.chip.take_mrpc_dma(0));
}

}  // namespace
}  // namespace switchtec::test
