// SPDX-License-Identifier: MIT
// Firmware commands: how they run, and the ones about the device as a whole.
#include <set>

#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

class MrpcCommand : public ::testing::Test {
  protected:
    MrpcCommand() { bench.set(0, Reg::PartEvent, 0, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq); }
    MrpcBench bench{device(kGen4)};
};

TEST_F(MrpcCommand, EchoAnswersTheComplement) {
    EXPECT_EQ(bench.call(0x41, words({0x12345678})), kSuccess);
    EXPECT_EQ(bench.output(0, 8), 0xEDCBA987U);
}

TEST_F(MrpcCommand, BitsAbove15OfTheCommandAreNotOfIt) {
    for (std::uint32_t pax : {0x007C0000U, 0xFFFC0000U}) {
        EXPECT_EQ(bench.call(pax | 0x41, words({1})), kSuccess);
        EXPECT_EQ(bench.output(0, 4), 0xFFFFFFFEU);
        EXPECT_EQ(bench.get(0, Reg::MrpcCommand), pax | 0x41);
    }
}

TEST_F(MrpcCommand, PingSaysGenerationAndFirmwarePhase) {
    EXPECT_EQ(bench.call(0x100, words({0x0F0F0F0F})), kSuccess);
    EXPECT_EQ(bench.outputs(0, 8), words({0x0003, 0xF0F0F0F0}));
    MrpcBench gen5(device(kGen5));
    EXPECT_EQ(gen5.call(0x100, words({0})), kSuccess);
    EXPECT_EQ(gen5.outputs(0, 8), words({0x1003, 0xFFFFFFFF}));
    MrpcBench gen3(device(kGen3));
    EXPECT_EQ(gen3.call(0x100), kBadCommand) << "by which a tool knows Gen3";
}

TEST_F(MrpcCommand, UnknownCommandEndsWithAnErrorAndNoAnswer) {
    EXPECT_EQ(bench.call(0x41, words({0})), kSuccess);
    EXPECT_EQ(bench.call(0x42, words({0})), kBadCommand);
    EXPECT_EQ(bench.outputs(0, 1024), Bytes(1024));
}

TEST_F(MrpcCommand, CompletionInterruptsItsOwnHostOnly) {
    bench.set(1, Reg::PartEvent, 1, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
    bench.call(0x41);
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
    bench.call(0x41, words({7}));
    EXPECT_EQ(bench.get(1, Reg::MrpcStatus), 0U);
    EXPECT_EQ(bench.chip.read(1, offset_of(Reg::MrpcInput), 4), 0U);
}

TEST_F(MrpcCommand, TemperatureOfEachGeneration) {
    EXPECT_EQ(bench.call(0x04, words({2})), kSuccess);
    EXPECT_EQ(bench.outputs(0, 8), words({4500, 0}));
    EXPECT_EQ(bench.call(0x04, words({4})), kBadSubcommand);
    MrpcBench gen5(device(kGen5));
    EXPECT_EQ(gen5.call(0x04, words({4})), kSuccess);
    EXPECT_EQ(gen5.outputs(0, 20), words({4500, 4500, 4500, 4500, 0}));
    EXPECT_EQ(gen5.call(0x04, words({2})), kBadSubcommand);
    MrpcBench gen3(device(kGen3));
    EXPECT_EQ(gen3.call(0x04, words({1})), kSuccess);
    EXPECT_EQ(gen3.call(0x04, words({2})), kSuccess);
    EXPECT_EQ(gen3.outputs(0, 8), words({4500, 0}));
}

std::set<unsigned> permitted(const MrpcBench& bench) {
    std::set<unsigned> commands;
    for (unsigned i = 0; i < 44 * 8; ++i) {
        if (bench.output(i / 8, 1) >> i % 8 & 1) commands.insert(i);
    }
    return commands;
}

TEST_F(MrpcCommand, PermissionsListWhatThereIs) {
    EXPECT_EQ(bench.call(0x37), kSuccess);
    EXPECT_EQ(permitted(bench), (std::set<unsigned>{0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x1C, 0x1D, 0x1F,
                                                    0x29, 0x2B, 0x34, 0x37, 0x3B, 0x41, 0x100}));
    MrpcBench gen3(device(kGen3));
    EXPECT_EQ(gen3.call(0x37), kSuccess);
    EXPECT_FALSE(permitted(gen3).contains(0x2B));
    EXPECT_FALSE(permitted(gen3).contains(0x100));
}

TEST_F(MrpcCommand, EveryCommandThatIsNotListedIsBad) {
    bench.call(0x37);
    const auto known = permitted(bench);
    for (unsigned command = 0; command < 0x200; ++command) {
        if (!known.contains(command)) {
            ASSERT_EQ(bench.call(command), kBadCommand) << command;
        }
    }
}

TEST_F(MrpcCommand, GasRead) {
    EXPECT_EQ(bench.call(0x29, words({0x2000, 4})), kSuccess);
    EXPECT_EQ(bench.outputs(0, 8), words({kGen4, 0}));
    EXPECT_EQ(bench.call(0x29, words({0x10001, 11})), kSuccess) << "of any length, at any offset";
    EXPECT_EQ(bench.outputs(0, 11), (Bytes{0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(bench.call(0x29, words({0x134000, 512})), kSuccess);
    EXPECT_EQ(bench.output(0, 2), 0x11F8U);
    EXPECT_EQ(bench.call(0x29, words({0x134000, 513})), kBadParameter);
    EXPECT_EQ(bench.call(0x29, words({0x134000, 0})), kBadParameter);
    EXPECT_EQ(bench.call(0x29, words({0x400000 - 4, 8})), kBadParameter) << "beyond the GAS";
    EXPECT_EQ(bench.call(0x29, words({0xFFFFFFFC, 8})), kBadParameter);
    EXPECT_EQ(bench.call(0x29, words({0x800, 4})), kAccessRefused) << "MRPC by MRPC";
}

TEST_F(MrpcCommand, GasWrite) {
    const auto mask = offset_of(Reg::InDoorbellMask, 0);
    EXPECT_EQ(bench.call(0x34, words({mask, 8, 0x11112222, 0x33334444})), kSuccess);
    EXPECT_EQ(bench.get(0, Reg::InDoorbellMask, 0), 0x33334444'11112222U);
    EXPECT_EQ(bench.call(0x34, words({offset_of(Reg::NtbPartitionOp, 1), 4, kOpLock})), kSuccess);
    EXPECT_EQ(bench.owner(0, 1), 0U) << "acts as the host's own write";
    EXPECT_EQ(bench.state(0, 1), kLocked);
    EXPECT_EQ(bench.call(0x34, words({0x800, 4, 0x34})), kAccessRefused);
    EXPECT_EQ(bench.call(0x34, words({0x2000, 1017})), kBadParameter);
}

}  // namespace
}  // namespace switchtec::test
