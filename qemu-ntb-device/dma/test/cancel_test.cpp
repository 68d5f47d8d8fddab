// SPDX-License-Identifier: MIT
// What takes work away from a channel, while one of its ops runs or hangs.
#include <string>

#include "driver.h"

namespace switchtec::dma::test {
namespace {

constexpr unsigned kTimes = 50;

class Cancel : public testing::Test {
  protected:
    Cancel() {
        for (Driver* d : {&driver, &other}) {
            d->init();
            d->alloc();
        }
    }
    void hang() {
        host.hang();
        fill(host.memory(driver.data(), 200000), ++seed);
        driver.submit(copy_entry(kWindow, driver.data(), 200000));
        host.wait_for_hanging(1);
    }
    void other_works() {
        other.submit(copy_entry(other.data() + 4096, other.data(), 512));
        EXPECT_EQ(other.wait().status, 0);
    }
    void boot() {
        ntb_dma_set_bus_master(host.dma, true);
        for (Driver* d : {&driver, &other}) {
            d->init();
            d->alloc();
        }
    }
    // Nothing runs, and nothing begins.
    void expect_rest() {
        EXPECT_EQ(host.running, 0);
        const auto begun = host.begun.load();
        driver.issue();
        other.submit(copy_entry(other.data() + 4096, other.data(), 512));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(host.begun, begun);
    }
    // What had begun is done in full.
    void expect_done() {
        const auto done = driver.wait();
        EXPECT_EQ(done.status, 0);
        EXPECT_EQ(done.count, 200000);
        EXPECT_TRUE(same(host.memory(kWindow, 200000), host.memory(driver.data(), 200000)));
    }

    FakeHost host;
    Driver driver{host, 0}, other{host, 1};
    unsigned seed = 0;
};

TEST_F(Cancel, HaltOfAHangingChannel) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        EXPECT_EQ(driver.status() & (kHalted | kPaused), 0);
        other_works();
        driver.halt();
        EXPECT_EQ(host.running, 0);
        host.answer();
        driver.unhalt();
        expect_done();
    }
}

TEST_F(Cancel, PauseWaitsForTheDescriptor) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        driver.set(Reg::ChannelControl, kPause);
        EXPECT_EQ(driver.status() & kPaused, 0);
        other_works();
        host.answer();
        EXPECT_TRUE(eventually([&] { return (driver.status() & kPaused) != 0; }));
        expect_done();
        driver.resume();
    }
}

TEST_F(Cancel, ResetOfAHangingChannel) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        driver.terminate();
        other_works();
        EXPECT_FALSE(driver.poll());
        // The window still hangs.
        driver.submit(copy_entry(driver.data() + (1U << 20), driver.data(), 4096));
        EXPECT_EQ(driver.wait().id, 0);
        host.answer();
    }
}

// Its copy is made, but counts for nothing.
TEST_F(Cancel, ResetInTheMidstOfAnOpThatSucceeds) {
    std::atomic<bool> reset{true};
    host.on_op = [&](const char* op, std::uint64_t address, std::size_t) {
        if (std::string(op) == "copy" && address == kWindow && !reset.exchange(true)) driver.reset();
    };
    for (unsigned i = 0; i < kTimes; ++i) {
        driver.terminate();
        reset = false;
        driver.submit(copy_entry(kWindow, driver.data(), 4096));
        ASSERT_TRUE(eventually([&] { return reset && host.running == 0; }));
        driver.pause();
        EXPECT_FALSE(driver.poll());
        EXPECT_EQ(driver.get(Reg::CqCurrent), 0);
        EXPECT_EQ(driver.get(Reg::ByteCountLow), 0);
    }
}

TEST_F(Cancel, DisableOfAHangingChannel) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        driver.free();
        EXPECT_EQ(host.running, 0);
        other_works();
        host.answer();
        driver.alloc();
    }
}

TEST_F(Cancel, ControlHaltsAndResetsAllChannels) {
    const auto control = offset_of(Reg::ResetHalt);
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        host.set(control, 2, 4);
        EXPECT_EQ(host.reg(control, 4), 2);
        EXPECT_TRUE(eventually([&] { return host.reg(offset_of(Reg::HaltSummary), 8) == 0xF; }));
        EXPECT_EQ(host.reg(offset_of(Reg::EngineState), 4), 1);
        expect_rest();
        host.answer();
        host.set(control, 0, 4);
        expect_done();
        EXPECT_EQ(other.wait().status, 0);
        hang();
        host.set(control, 1, 4);
        EXPECT_EQ(driver.get(Reg::SqTail), 0);
        EXPECT_TRUE(eventually([&] { return host.running == 0; }));
        host.answer();
        boot();
    }
}

TEST_F(Cancel, FunctionLevelReset) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        ntb_dma_reset(host.dma);
        expect_rest();
        EXPECT_EQ(driver.get(Reg::SqSize), 0);
        EXPECT_EQ(driver.get(Reg::ValidEnable) & kEnable, 0);
        EXPECT_TRUE(eventually([&] { return host.threads == 0; }));
        host.answer();
        boot();
        other_works();
    }
}

TEST_F(Cancel, BusMasteringOff) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        ntb_dma_set_bus_master(host.dma, false);
        expect_rest();
        host.answer();
        ntb_dma_set_bus_master(host.dma, true);
        expect_done();
        EXPECT_EQ(other.wait().status, 0);
    }
}

TEST_F(Cancel, StopAndGoOn) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        ntb_dma_stop(host.dma);
        expect_rest();
        host.answer();
        ntb_dma_go_on(host.dma);
        expect_done();
        EXPECT_EQ(other.wait().status, 0);
    }
}

TEST_F(Cancel, StopInTheMidstOfMuchWork) {
    for (unsigned i = 0; i < kTimes; ++i) {
        fill(host.memory(driver.data(), 1U << 20), i);
        for (unsigned n = 0; n < 4; ++n)
            driver.submit(copy_entry(kWindow + n * (1U << 20), driver.data(), 1U << 20));
        for (unsigned n = 0; n < 5; ++n) {
            ntb_dma_stop(host.dma);
            EXPECT_EQ(host.running, 0);
            const auto before = host.begun.load();
            std::this_thread::yield();
            EXPECT_EQ(host.begun, before);
            ntb_dma_go_on(host.dma);
        }
        for (unsigned n = 0; n < 4; ++n) {
            EXPECT_EQ(driver.wait().count, 1U << 20);
            EXPECT_TRUE(
                same(host.memory(kWindow + n * (1U << 20), 1U << 20), host.memory(driver.data(), 1U << 20)));
        }
    }
}

TEST_F(Cancel, CloseWithWorkInFlight) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        host.close();
        EXPECT_EQ(host.running, 0);
        host.answer();
        host.replace();
        boot();
    }
}

TEST_F(Cancel, ThePeerDies) {
    for (unsigned i = 0; i < kTimes; ++i) {
        hang();
        host.window_open = false;
        other_works();
        host.answer();
        EXPECT_EQ(driver.wait().status, kCompleterAbort);
        host.window_open = true;
        other_works();
    }
}

// As QEMU has it: ops take a lock that whoever stops the engine holds.
TEST(CancelWithLock, StopBeginLetsTheLockBeReleased) {
    static std::mutex big;
    FakeHost host;
    host.on_interrupt = [](unsigned) { const std::lock_guard lock(big); };
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    for (unsigned i = 0; i < kTimes; ++i) {
        std::unique_lock lock(big);
        driver.submit(copy_entry(kWindow, driver.data(), 64));
        driver.wait();  // Its interrupt waits for the lock, or will.
        ntb_dma_stop_begin(host.dma);
        lock.unlock();
        ntb_dma_stop(host.dma);
        EXPECT_EQ(host.running, 0);
        ntb_dma_go_on(host.dma);
        EXPECT_TRUE(eventually([&] { return host.interrupts[1] == i + 1; }));
    }
}

TEST(CancelFromThreads, EverythingAtOnce) {
    FakeHost host;
    Driver driver(host, 0), other(host, 1);
    other.init();
    other.alloc();
    std::atomic<bool> end{false};
    std::thread stopper([&] {
        while (!end) {
            ntb_dma_stop(host.dma);
            ntb_dma_go_on(host.dma);
        }
    });
    std::thread master([&] {
        while (!end) {
            ntb_dma_set_bus_master(host.dma, false);
            ntb_dma_set_bus_master(host.dma, true);
        }
    });
    for (unsigned i = 0; i < 20; ++i) {
        driver.init();
        driver.alloc();
        for (unsigned n = 0; n < 20; ++n) driver.prepare(copy_entry(kWindow, driver.data(), 100000));
        driver.issue();
        driver.halt();
        driver.unhalt();
        for (unsigned n = 0; n < 20; ++n) EXPECT_EQ(driver.wait().status, 0);
        other.submit(copy_entry(other.data() + 4096, other.data(), 512));
        EXPECT_EQ(other.wait().status, 0);
        driver.free();
    }
    end = true;
    stopper.join();
    master.join();
}

}  // namespace
}  // namespace switchtec::dma::test
