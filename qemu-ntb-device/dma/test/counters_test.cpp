// SPDX-License-Identifier: MIT
// The counters of the registers, and those for `inspect`.
#include <string>

#include "driver.h"

namespace switchtec::dma::test {
namespace {

class Counters : public testing::Test {
  protected:
    Counters() {
        driver.init();
        driver.alloc();
    }
    void copy(unsigned times, std::uint32_t size) {
        for (unsigned i = 0; i < times; ++i) {
            driver.submit(copy_entry(kWindow, driver.data(), size));
            driver.wait();
        }
        // Completed, and counted.
        driver.pause();
        driver.resume();
    }
    NtbDmaChannelInfo info(unsigned channel = 0) {
        NtbDmaChannelInfo info{};
        EXPECT_TRUE(ntb_dma_inspect(host.dma, channel, &info));
        return info;
    }

    FakeHost host;
    Driver driver{host, 0};
};

TEST_F(Counters, DescriptorsAndBytesAreClearedByReading) {
    copy(10, 100);
    EXPECT_EQ(driver.get(Reg::DescriptorCountHigh), 0);
    EXPECT_EQ(driver.get(Reg::DescriptorCountLow), 10);
    EXPECT_EQ(driver.get(Reg::DescriptorCountLow), 0);
    EXPECT_EQ(driver.get(Reg::ByteCountLow), 1000);
    EXPECT_EQ(driver.get(Reg::ByteCountLow), 0);
    copy(1, 100);
    driver.reset();
    EXPECT_EQ(driver.get(Reg::ByteCountLow), 0);
    EXPECT_EQ(info().bytes, 1100);
    EXPECT_EQ(info().descriptors, 11);
    EXPECT_EQ(info().interrupts, 11);
}

TEST_F(Counters, LatencyOfWhatIsSelected) {
    copy(10, 100);
    EXPECT_EQ(driver.get(Reg::LatencyLast), 0);
    for (const auto& [selector, entry] :
         {std::pair{kLatencyDescriptor, copy_entry(kWindow, driver.data(), 1000)},
          std::pair{kLatencyFetch, copy_entry(kWindow, driver.data(), 1000)},
          std::pair{kLatencyReadImmediate, entry_of(1, 0, driver.data(), 8)}}) {
        driver.set(Reg::LatencySelector, selector);
        driver.get(Reg::LatencyMax);
        driver.get(Reg::LatencyMin);
        for (unsigned i = 0; i < 10; ++i) {
            driver.submit(entry);
            driver.wait();
        }
        driver.pause();
        driver.resume();
        const auto last = driver.get(Reg::LatencyLast);
        const auto most = driver.get(Reg::LatencyMax);
        const auto least = driver.get(Reg::LatencyMin);
        EXPECT_GT(least, 0);
        EXPECT_LE(least, last);
        EXPECT_LE(last, most);
        EXPECT_EQ(driver.get(Reg::LatencyMax), 0);
        EXPECT_EQ(driver.get(Reg::LatencyMin), 0);
        EXPECT_EQ(driver.get(Reg::LatencyLast), last);
    }
    driver.set(Reg::LatencySelector, 1U << 1);
    driver.get(Reg::LatencyMax);
    copy(10, 100);
    EXPECT_EQ(driver.get(Reg::LatencyMax), 0);
}

TEST_F(Counters, PendingAndBuffers) {
    EXPECT_EQ(driver.get(Reg::Pending), 0);
    EXPECT_EQ(driver.get(Reg::BuffersEmpty), 16);
    host.hang();
    for (unsigned i = 0; i < 40; ++i) driver.prepare(copy_entry(kWindow, driver.data(), 100));
    driver.issue();
    host.wait_for_hanging(1);
    // One is in hand, 15 are fetched, 24 wait in the ring.
    EXPECT_EQ(driver.get(Reg::BuffersEmpty), 1);
    EXPECT_EQ(driver.get(Reg::Pending), 24);
    EXPECT_EQ(info().pending, 40);
    EXPECT_STREQ(info().state, "busy");
    host.answer();
    for (unsigned i = 0; i < 40; ++i) driver.wait();
    driver.pause();
    EXPECT_EQ(driver.get(Reg::Pending), 0);
    EXPECT_EQ(driver.get(Reg::BuffersEmpty), 16);
}

TEST_F(Counters, IdleTimeIsClearedByReading) {
    copy(1, 8);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GE(driver.get(Reg::IdleCycles), 2000000);
    driver.set(Reg::ChannelControl, kPause);
    driver.submit(copy_entry(kWindow, driver.data(), 8));
    driver.get(Reg::IdleCycles);
    EXPECT_EQ(driver.get(Reg::IdleCycles), 0) << "it has work";
}

TEST_F(Counters, StatesHaveNames) {
    EXPECT_STREQ(info(1).state, "disabled");
    EXPECT_STREQ(info().state, "idle");
    driver.pause();
    EXPECT_STREQ(info().state, "paused");
    driver.halt();
    EXPECT_STREQ(info().state, "halted");
    driver.set(Reg::ChannelControl, kReset);
    EXPECT_STREQ(info().state, "reset");
    EXPECT_STREQ(info().pause_reason, "");
    NtbDmaChannelInfo none{};
    EXPECT_FALSE(ntb_dma_inspect(host.dma, 4, &none));
}

TEST_F(Counters, SummariesHaveABitPerChannel) {
    Driver other(host, 2);
    other.init();
    other.alloc();
    driver.pause();
    other.halt();
    EXPECT_EQ(host.reg(offset_of(Reg::PauseSummary), 8), 1U << 0);
    EXPECT_EQ(host.reg(offset_of(Reg::HaltSummary), 8), 1U << 2);
}

}  // namespace
}  // namespace switchtec::dma::test
