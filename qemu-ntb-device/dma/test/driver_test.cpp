// SPDX-License-Identifier: MIT
// What Linux's driver does with a channel, from its probe to its removal.
#include "driver.h"

namespace switchtec::dma::test {
namespace {

TEST(Driver, FindsChannelsWithBuffersAndVectors) {
    FakeHost host(4);
    EXPECT_EQ(host.reg(offset_of(Reg::ChannelCount), 4), 4);
    EXPECT_EQ(host.reg(offset_of(Reg::StatusVector), 2), 0);
    EXPECT_EQ(host.reg(offset_of(Reg::BufferBase), 2), 0);
    EXPECT_EQ(host.reg(offset_of(Reg::BufferCount), 2), 64);
    for (unsigned i = 0; i < 4; ++i) {
        Driver driver(host, i);
        driver.init();
        EXPECT_EQ(driver.get(Reg::ChannelVector), i + 1);
        const auto enable = driver.get(Reg::ValidEnable);
        EXPECT_EQ(enable >> 2 & 0x1FF, i * 16);
        EXPECT_EQ(enable >> 12 & 0x1FF, 16);
        EXPECT_EQ(enable & kEnable, 0);
    }
}

TEST(Driver, CopiesAndIsInterrupted) {
    FakeHost host;
    Driver driver(host, 1);
    driver.init();
    driver.alloc();
    const auto expected = filled(100000, 7);
    std::ranges::copy(expected, host.memory(driver.data(), 100000).begin());
    const auto id = driver.submit(copy_entry(driver.data() + (1U << 20), driver.data(), 100000));
    const auto done = driver.wait();
    EXPECT_EQ(done.id, id);
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.count, 100000);
    EXPECT_EQ(done.sq_head, 1);
    EXPECT_EQ(done.phase, 1);
    EXPECT_TRUE(same(host.memory(driver.data() + (1U << 20), 100000), expected));
    EXPECT_TRUE(eventually([&] { return host.interrupts[2] == 1; }));
    driver.free();
    EXPECT_EQ(host.descriptors, 1);
    EXPECT_EQ(host.last_descriptor.channel, 1);
    EXPECT_EQ(host.last_descriptor.completed, 100000);
}

TEST(Driver, NoInterruptUnlessAskedFor) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    for (unsigned i = 0; i < 100; ++i) driver.submit(copy_entry(driver.data() + 4096, driver.data(), 64, 0));
    for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(driver.wait().status, 0);
    driver.free();
    for (const auto& count : host.interrupts) EXPECT_EQ(count, 0);
}

TEST(Driver, EveryAlignmentAndSize) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    unsigned seed = 0;
    for (const std::uint32_t size : {1U, 2U, 7U, 8U, 63U, 4096U, 65535U, 65536U, 65537U, 1U << 20}) {
        for (const unsigned shift : {0U, 1U, 3U, 8U}) {
            if (size + shift > 1U << 20) continue;
            const auto expected = filled(size, ++seed);
            std::ranges::copy(expected, host.memory(driver.data() + shift, size).begin());
            driver.submit(copy_entry(kWindow + 3 * shift, driver.data() + shift, size));
            EXPECT_EQ(driver.wait().count, size);
            EXPECT_TRUE(same(host.memory(kWindow + 3 * shift, size), expected)) << size << " at " << shift;
        }
    }
}

TEST(Driver, RingsWrapAndPhasesChange) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    constexpr unsigned kRounds = 5 * kMaxRing / 2;
    unsigned sent = 0;
    for (unsigned received = 0; received < kRounds;) {
        for (; sent < kRounds && !driver.full(); ++sent)
            driver.prepare(entry_of(2, driver.data() + sent % 1024 * 8, sent, 8, 0));
        driver.issue();
        for (; received < sent; ++received) {
            const auto done = driver.wait();
            ASSERT_EQ(done.id, received & 0xFFFF);
            ASSERT_EQ(done.status, 0);
            ASSERT_EQ(done.phase, (received / kMaxRing + 1) % 2);
            ASSERT_EQ(done.sq_head, (received + 1) % kMaxRing);
        }
    }
    EXPECT_EQ(host.get<std::uint64_t>(driver.data() + (kRounds - 1) % 1024 * 8), kRounds - 1);
    EXPECT_EQ(driver.get(Reg::SqCurrent), kRounds % kMaxRing);
}

TEST(Driver, ImmediatesAndNop) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    host.put(driver.data(), 0x1122334455667788ULL);
    driver.submit(entry_of(1, 0, driver.data(), 8));
    driver.submit(entry_of(1, 0, driver.data() + 1, 3));
    driver.submit(entry_of(2, driver.data() + 64, 0xAABBCCDDEEFF0011, 8));
    driver.submit(entry_of(2, driver.data() + 72, 0xAABBCCDDEEFF0011, 2));
    driver.submit(entry_of(7, 0, 0, 0));
    auto done = driver.wait();
    EXPECT_EQ(done.immediate_low, 0x55667788);
    EXPECT_EQ(done.immediate_high, 0x11223344);
    EXPECT_EQ(done.count, 8);
    done = driver.wait();
    EXPECT_EQ(done.immediate_low, 0x556677);
    EXPECT_EQ(done.immediate_high, 0);
    EXPECT_EQ(driver.wait().count, 8);
    EXPECT_EQ(driver.wait().count, 2);
    done = driver.wait();
    EXPECT_EQ(done.count, 0);
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(host.get<std::uint64_t>(driver.data() + 64), 0xAABBCCDDEEFF0011);
    EXPECT_EQ(host.get<std::uint64_t>(driver.data() + 72), 0x0011);
}

TEST(Driver, PausesAndResumes) {
    FakeHost host;
    Driver driver(host, 2);
    driver.init();
    driver.alloc();
    for (unsigned round = 0; round < 50; ++round) {
        for (unsigned i = 0; i < 20; ++i) driver.prepare(copy_entry(kWindow, driver.data(), 4096));
        driver.issue();
        driver.pause();
        const auto begun = host.begun.load();
        EXPECT_EQ(host.running, 0);
        const auto at = driver.get(Reg::CqCurrent);
        driver.submit(copy_entry(kWindow, driver.data(), 8));  // A doorbell while paused is kept.
        EXPECT_EQ(driver.get(Reg::CqCurrent), at);
        EXPECT_EQ(host.begun, begun);
        driver.resume();
        for (unsigned i = 0; i < 21; ++i) EXPECT_EQ(driver.wait().status, 0);
    }
    EXPECT_EQ(driver.status() & kReasons, 0);
}

TEST(Driver, HaltsInTheMidstAndGoesOn) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    for (unsigned round = 0; round < 50; ++round) {
        const auto expected = filled(1U << 20, round);
        std::ranges::copy(expected, host.memory(driver.data(), 1U << 20).begin());
        driver.submit(copy_entry(kWindow, driver.data(), 1U << 20));
        driver.halt();
        EXPECT_EQ(host.running, 0);
        const auto begun = host.begun.load();
        driver.issue();
        EXPECT_EQ(host.begun, begun);
        driver.unhalt();
        EXPECT_EQ(driver.wait().count, 1U << 20);
        EXPECT_TRUE(same(host.memory(kWindow, 1U << 20), expected));
    }
}

TEST(Driver, TerminatesAndStartsOver) {
    FakeHost host;
    Driver driver(host, 3);
    driver.init();
    driver.alloc();
    for (unsigned round = 0; round < 50; ++round) {
        for (unsigned i = 0; i < 100; ++i) driver.prepare(copy_entry(kWindow, driver.data(), 65536));
        driver.issue();
        driver.terminate();
        EXPECT_FALSE(driver.poll());
        driver.submit(copy_entry(kWindow, driver.data(), 8));
        const auto done = driver.wait();
        EXPECT_EQ(done.id, 0);
        EXPECT_EQ(done.sq_head, 1);
        EXPECT_EQ(done.phase, 1);
    }
}

TEST(Driver, FreesWithWorkInFlightAndAllocatesAgain) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    for (unsigned round = 0; round < 50; ++round) {
        driver.alloc();
        driver.submit(copy_entry(kWindow, driver.data(), 4096));
        EXPECT_EQ(driver.wait().status, 0);
        for (unsigned i = 0; i < 100; ++i) driver.prepare(copy_entry(kWindow, driver.data(), 1U << 20));
        driver.issue();
        driver.free();
        // The driver gives the memory back now.
        EXPECT_EQ(host.running, 0);
        const auto begun = host.begun.load();
        driver.issue();
        EXPECT_EQ(host.begun, begun);
    }
    EXPECT_TRUE(eventually([&] { return host.threads == 0; })) << "a disabled channel needs no thread";
}

TEST(Driver, SixtyFourChannelsShareWhatThereIs) {
    FakeHost host(64, 65UL << 16, 3);
    for (unsigned i = 0; i < 64; ++i) {
        Driver driver(host, i, 64);
        driver.init();
        driver.alloc();
        EXPECT_EQ(driver.get(Reg::ChannelVector), 1 + i % 2);
        driver.submit(copy_entry(driver.data() + 4096, driver.data(), 4096));
        EXPECT_EQ(driver.wait().status, 0);
    }
    EXPECT_TRUE(eventually([&] { return host.interrupts[1] == 32 && host.interrupts[2] == 32; }));
}

}  // namespace
}  // namespace switchtec::dma::test
