// SPDX-License-Identifier: MIT
// Data, then the completion entry with its phase tag last, then the interrupt: as seen by another thread.
#include <string>
#include <tuple>

#include "driver.h"

namespace switchtec::dma::test {
namespace {

TEST(Order, OpsOfADescriptor) {
    using Op = std::tuple<std::string, std::uint64_t, std::size_t>;
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    std::vector<Op> ops;
    host.on_op = [&](const char* op, std::uint64_t address, std::size_t size) {
        ops.emplace_back(op, address, size);
    };
    driver.submit(copy_entry(kWindow, driver.data(), NTB_DMA_CHUNK + 5));
    ASSERT_TRUE(eventually([&] { return host.interrupts[1] == 1; }));
    host.close();
    EXPECT_EQ(ops, (std::vector<Op>{{"read", driver.sq(), 32},
                                    {"copy", kWindow, NTB_DMA_CHUNK},
                                    {"copy", kWindow + NTB_DMA_CHUNK, 5},
                                    {"write", driver.cq(), 28},
                                    {"write", driver.cq() + 28, 4},
                                    {"interrupt", 1, 0}}));
}

TEST(Order, WhoSeesThePhaseTagSeesTheData) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    for (unsigned round = 0; round < 2000; ++round) {
        const std::uint32_t size = 1 + round * 37 % 3000;
        const auto expected = filled(size, round);
        std::ranges::copy(expected, host.memory(driver.data(), size).begin());
        driver.submit(copy_entry(kWindow, driver.data(), size, 0));
        std::optional<CompletionEntry> done;
        while (!(done = driver.poll())) std::this_thread::yield();
        ASSERT_EQ(done->count, size);
        ASSERT_EQ(done->status, 0);
        ASSERT_TRUE(same(host.memory(kWindow, size), expected));
    }
}

TEST(Order, WhoIsInterruptedSeesTheCompletion) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    std::atomic<unsigned> interrupted{0}, seen{0};
    host.on_interrupt = [&](unsigned vector) {
        if (vector != 1) return;
        const auto nth = interrupted++;
        if (host.get<CompletionEntry>(driver.cq() + nth * 32).phase == 1) ++seen;
    };
    for (unsigned i = 0; i < 1000; ++i) driver.submit(copy_entry(kWindow, driver.data(), 64));
    ASSERT_TRUE(eventually([&] { return interrupted == 1000; }));
    EXPECT_EQ(seen, 1000);
}

// The reason to pause is there when the interrupt comes.
TEST(Order, WhoIsToldOfAPauseSeesItsReason) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    std::atomic<unsigned> told{0};
    host.on_interrupt = [&](unsigned vector) {
        if (vector == 0 && (driver.status() & kReasons) == kReasonOpcode) ++told;
    };
    for (unsigned i = 0; i < 200; ++i) {
        driver.submit(entry_of(5, 0, 0, 0));
        ASSERT_TRUE(eventually([&] { return (driver.status() & kPaused) != 0; }));
        driver.wait();
        driver.resume();
    }
    EXPECT_EQ(told, 200);
}

TEST(Order, LaterDescriptorsSeeWhatEarlierOnesWrote) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    host.put(driver.data(), 0x12345678ULL);
    for (unsigned i = 0; i < 1000; ++i)
        driver.prepare(copy_entry(driver.data() + 8 * (i + 1), driver.data() + 8 * i, 8, 0x80));
    driver.issue();
    for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(driver.wait().status, 0);
    EXPECT_EQ(host.get<std::uint64_t>(driver.data() + 8000), 0x12345678ULL);
}

}  // namespace
}  // namespace switchtec::dma::test
