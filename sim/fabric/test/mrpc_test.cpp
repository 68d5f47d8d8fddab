// SPDX-License-Identifier: MIT
// Firmware commands through an endpoint: answers in the host's memory, traffic that is counted.
#include <gtest/gtest.h>
#include <switchtec/registers.h>

#include <cstring>

#include "cluster.h"
#include "host.h"

namespace fabric::test {
namespace {

using switchtec::offset_of;
using switchtec::Reg;

constexpr std::uint64_t kBuffer = 0x3000;
constexpr std::uint32_t kEcho = 0x41, kPmon = 0x07;

class MrpcTest : public ::testing::Test {
  protected:
    std::uint64_t ram(std::uint64_t address, std::size_t size) const {
        std::uint64_t value = 0;
        std::memcpy(&value, a_.ram() + address, size);
        return value;
    }
    void run(std::uint32_t command, std::uint64_t input) {
        a_.write(offset_of(Reg::MrpcInput), input, 8);
        a_.write(offset_of(Reg::MrpcCommand), command, 4);
    }
    void enable_dma() {
        a_.write(offset_of(Reg::MrpcDmaAddress), kBuffer, 8);
        a_.write(offset_of(Reg::MrpcDmaEnable), 1, 4);
    }
    Cluster cluster_{2};
    Host a_{cluster_.socket(), 0};
};

TEST_F(MrpcTest, AnswerByDmaIsDataThenHeaderThenInterrupt) {
    enable_dma();
    run(kEcho, 0x12345678);
    ASSERT_EQ(a_.dma_writes.size(), 2U);
    EXPECT_EQ(a_.dma_writes[0].address, kBuffer + 16);
    EXPECT_EQ(a_.dma_writes[0].size, 1024U);
    EXPECT_EQ(a_.dma_writes[1].address, kBuffer);
    EXPECT_EQ(a_.dma_writes[1].size, 16U);
    EXPECT_EQ(a_.dma_writes[1].interrupts, 0U);
    EXPECT_EQ(a_.interrupts, std::vector<unsigned>{switchtec::kMrpcDmaVector});
    EXPECT_EQ(ram(kBuffer, 4), switchtec::kMrpcDone);
    EXPECT_EQ(ram(kBuffer + 4, 4), kEcho);
    EXPECT_EQ(ram(kBuffer + 8, 4), 0U);
    EXPECT_EQ(ram(kBuffer + 16, 8), 0xEDCBA987U);
    EXPECT_EQ(a_.read(offset_of(Reg::MrpcStatus), 4), switchtec::kMrpcDone);
}

TEST_F(MrpcTest, WithoutDmaTheRegistersAnswer) {
    run(kEcho, 1);
    EXPECT_TRUE(a_.dma_writes.empty());
    EXPECT_EQ(a_.read(offset_of(Reg::MrpcOutput), 4), 0xFFFFFFFEU);
}

TEST_F(MrpcTest, AccessesAndForwardedTlpsAreCounted) {
    run(kPmon, 0x01'00'01'0C);  // Payload of port 0, from here on.
    ntb_endpoint_window_write(*a_, 0, 2, 0, 1, 8);
    EXPECT_EQ(ntb_endpoint_window_read(*a_, 0, 2, 0, 4), 0xFFFFFFFFU);
    ntb_endpoint_forwarded(*a_, 1, NTB_TLP_POSTED, 2, 1000, 150);
    run(kPmon, 0x00'00'01'01);
    const auto output = offset_of(Reg::MrpcOutput);
    EXPECT_EQ(a_.read(output + 32, 8), 8U + 1000 + 8 + 4) << "the window, what was forwarded, this command";
    EXPECT_EQ(a_.read(output + 48, 8), 0U) << "non-posted requests have no payload";
}

TEST_F(MrpcTest, NamesOfRegistersAreOfTheSwitch) {
    char name[64];
    EXPECT_STREQ(ntb_endpoint_register_name(*a_, 0x2048, name, sizeof(name)), "sys_info.partition_id");
}

}  // namespace
}  // namespace fabric::test
