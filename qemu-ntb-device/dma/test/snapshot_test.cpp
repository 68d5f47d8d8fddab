// SPDX-License-Identifier: MIT
// An engine that is saved in the midst of things goes on elsewhere as if nothing had been.
#include <cstdlib>
#include <string>

#include "driver.h"

namespace switchtec::dma::test {
namespace {

std::vector<std::byte> save(FakeHost& host) {
    std::size_t size = 0;
    void* saved = ntb_dma_save(host.dma, &size, host.error);
    EXPECT_NE(saved, nullptr) << host.error;
    if (saved == nullptr) return {};
    std::vector<std::byte> bytes(static_cast<std::byte*>(saved), static_cast<std::byte*>(saved) + size);
    std::free(saved);
    return bytes;
}

bool load(FakeHost& host, const std::vector<std::byte>& bytes) {
    return ntb_dma_load(host.dma, bytes.data(), bytes.size(), host.error);
}

TEST(Snapshot, InTheMidstOfMuchWork) {
    FakeHost host;
    Driver driver(host, 0), other(host, 2);
    for (Driver* d : {&driver, &other}) {
        d->init();
        d->alloc();
    }
    for (unsigned round = 0; round < 30; ++round) {
        fill(host.memory(driver.data(), 1U << 20), round);
        for (unsigned n = 0; n < 8; ++n) {
            driver.prepare(copy_entry(kWindow + n * (1U << 20), driver.data(), 1U << 20));
            other.prepare(copy_entry(other.data() + (1U << 20), other.data(), 1000 + n));
        }
        driver.issue();
        other.issue();
        for (unsigned n = 0; n < 4; ++n) {
            ntb_dma_stop(host.dma);
            const auto saved = save(host);
            host.replace();
            ntb_dma_stop(host.dma);
            ASSERT_TRUE(load(host, saved)) << host.error;
            EXPECT_EQ(host.running, 0);
            ntb_dma_go_on(host.dma);
        }
        for (unsigned n = 0; n < 8; ++n) {
            const auto done = driver.wait();
            EXPECT_EQ(done.status, 0);
            EXPECT_EQ(done.count, 1U << 20);
            EXPECT_EQ(other.wait().count, 1000 + n);
        }
        for (unsigned n = 0; n < 8; ++n)
            EXPECT_TRUE(
                same(host.memory(kWindow + n * (1U << 20), 1U << 20), host.memory(driver.data(), 1U << 20)));
    }
    NtbDmaChannelInfo info{};
    ASSERT_TRUE(eventually([&] { return ntb_dma_inspect(host.dma, 0, &info) && info.descriptors == 240; }));
    EXPECT_EQ(info.bytes, 240ULL << 20);
    EXPECT_TRUE(eventually([&] { return host.interrupts[1] == 240; }));
}

TEST(Snapshot, OfAHangingDescriptor) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    host.hang();
    driver.submit(copy_entry(kWindow, driver.data(), 100000));
    host.wait_for_hanging(1);
    ntb_dma_stop(host.dma);
    const auto saved = save(host);
    host.replace();
    host.answer();
    ASSERT_TRUE(load(host, saved));
    EXPECT_EQ(driver.wait().count, 100000);
}

TEST(Snapshot, KeepsPausesAndRegisters) {
    FakeHost host;
    Driver driver(host, 1);
    driver.init();
    driver.alloc();
    host.set(offset_of(Reg::TagLimit), 7, 4);
    driver.set(Reg::PerfConfig, 0x12345678);
    driver.submit(entry_of(5, 0, 0, 0));
    driver.wait();
    ASSERT_TRUE(eventually([&] { return (driver.status() & kPaused) != 0; }));
    ntb_dma_stop(host.dma);
    const auto saved = save(host);
    host.replace();
    ASSERT_TRUE(load(host, saved));
    EXPECT_EQ(driver.status(), kPaused | kReasonOpcode);
    EXPECT_EQ(driver.get(Reg::PerfConfig), 0x12345678);
    EXPECT_EQ(host.reg(offset_of(Reg::TagLimit), 4), 7);
    EXPECT_EQ(host.interrupts[0], 1);
    driver.resume();
    driver.submit(copy_entry(kWindow, driver.data(), 8));
    EXPECT_EQ(driver.wait().status, 0);
}

TEST(Snapshot, OnlyOfAnEngineAtRest) {
    FakeHost host;
    std::size_t size = 0;
    EXPECT_EQ(ntb_dma_save(host.dma, &size, host.error), nullptr);
    EXPECT_NE(std::string(host.error).find("ntb_dma_stop"), std::string::npos) << host.error;
}

TEST(Snapshot, OfAnotherEngineIsRefused) {
    FakeHost host(4), other(8);
    ntb_dma_stop(host.dma);
    const auto saved = save(host);
    EXPECT_FALSE(load(other, saved));
    EXPECT_NE(std::string(other.error).find("4 channels and 5 vectors, but this one has 8 and 9"),
              std::string::npos)
        << other.error;
}

TEST(Snapshot, ThatIsDamagedIsRefusedOrHarmless) {
    FakeHost host;
    Driver driver(host, 0);
    driver.init();
    driver.alloc();
    driver.pause();
    driver.submit(copy_entry(kWindow, driver.data(), 8));  // So that no idle time is counted.
    ntb_dma_stop(host.dma);
    const auto saved = save(host);
    EXPECT_FALSE(load(host, {}));
    for (std::size_t cut = 0; cut < saved.size(); cut += 7)
        EXPECT_FALSE(load(host, {saved.begin(), saved.begin() + static_cast<long>(cut)}));
    EXPECT_TRUE(save(host) == saved) << "what is refused changes nothing";
    for (std::size_t i = 0; i < saved.size(); ++i) {
        for (const unsigned bit : {0U, 3U, 7U}) {
            auto spoilt = saved;
            spoilt[i] ^= static_cast<std::byte>(1U << bit);
            if (load(host, spoilt)) {
                ntb_dma_go_on(host.dma);
                ntb_dma_stop(host.dma);
            }
        }
    }
    ASSERT_TRUE(load(host, saved));
    ntb_dma_go_on(host.dma);
    driver.resume();
    EXPECT_EQ(driver.wait().status, 0);
}

}  // namespace
}  // namespace switchtec::dma::test
