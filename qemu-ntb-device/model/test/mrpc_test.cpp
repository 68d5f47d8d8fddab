// SPDX-License-Identifier: MIT
// Firmware commands.
#include "bench.h"

namespace switchtec::test {
namespace {

class MrpcCommand : public ::testing::Test {
  protected:
    MrpcCommand() {
        bench.boot(0);
        bench.boot(1);
        bench.set(0, Reg::PartEvent, 0, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
    }
    void run(std::uint32_t command, std::uint32_t input) {
        bench.chip.write(0, offset_of(Reg::MrpcInput), input, 4);
        bench.set(0, Reg::MrpcCommand, 0, 0, command);
    }
    std::uint32_t output(unsigned word) {
        return bench.chip.read(0, offset_of(Reg::MrpcOutput) + 4 * word, 4);
    }
    Bench bench{2};
};

TEST_F(MrpcCommand, EchoAnswersTheComplement) {
    run(0x007C0000 | kMrpcEcho, 0x12345678);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcDone);
    EXPECT_EQ(bench.get(0, Reg::MrpcReturn), 0U);
    EXPECT_EQ(output(0), ~0x12345678U);
}

TEST_F(MrpcCommand, DeviceInfoSaysGen4InFirmwarePhase) {
    run(kMrpcDeviceInfo, 0x0F0F0F0F);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcDone);
    EXPECT_EQ(output(0), 3U);
    EXPECT_EQ(output(1), 0xF0F0F0F0U);
}

TEST_F(MrpcCommand, UnknownCommandEndsWithAnError) {
    run(0x1C, 0);
    EXPECT_EQ(bench.get(0, Reg::MrpcStatus), kMrpcError);
    EXPECT_EQ(bench.get(0, Reg::MrpcReturn), kMrpcBadCommand);
}

TEST_F(MrpcCommand, CompletionInterruptsItsOwnHostOnly) {
    bench.set(1, Reg::PartEvent, 1, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
    run(kMrpcEcho, 0);
    EXPECT_EQ(bench.interrupts(0), Vectors{0});
    EXPECT_EQ(bench.interrupts(1), Vectors{});
    // The driver's interrupt handler writes the header back as read: occurred is cleared, the interrupt stays
    // enabled.
    const auto header = bench.get(0, Reg::PartEvent, 0, kPartEventMrpcComp);
    EXPECT_EQ(header & 0x1F, kEventOccurred | kEventEnableIrq);
    bench.set(0, Reg::PartEvent, 0, kPartEventMrpcComp, header);
    EXPECT_EQ(bench.get(0, Reg::PartEvent, 0, kPartEventMrpcComp) & 0x1F, kEventEnableIrq);
}

TEST_F(MrpcCommand, EachHostHasItsOwn) {
    run(kMrpcEcho, 7);
    EXPECT_EQ(bench.get(1, Reg::MrpcStatus), 0U);
    EXPECT_EQ(bench.chip.read(1, offset_of(Reg::MrpcInput), 4), 0U);
}

TEST_F(MrpcCommand, NoDma) {
    EXPECT_EQ(bench.get(0, Reg::MrpcDmaVersion), 0U);
}

}  // namespace
}  // namespace switchtec::test
