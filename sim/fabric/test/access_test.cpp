// SPDX-License-Identifier: MIT
// Accesses through windows to what is not mapped: the target makes them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cluster.h"
#include "driver.h"

namespace fabric::test {
namespace {

constexpr std::uint64_t k64K = 0x10000;
constexpr std::uint64_t kDevice = 0xF0000000;  // Beyond kRam: a device's registers.

class AccessTest : public ::testing::Test {
  protected:
    AccessTest() {
        admit_cpu(a_);
        admit_cpu(b_);
        offer(a_, 1, {{2, kDevice, k64K}}, [&] { b_.service(); });
        offer(b_, 0, {{2, kDevice, k64K}}, [&] { a_.service(); });
        a_.service();
        b_.service();
    }
    // As a hypervisor's vCPU reads, with the peers' threads running.
    std::uint64_t read(const Host& host, std::uint64_t offset, unsigned size) {
        std::uint64_t value = 0;
        with_others_serviced(&host, [&] { value = ntb_endpoint_window_read(*host, 0, 2, offset, size); });
        return value;
    }
    void write(const Host& host, std::uint64_t offset, std::uint64_t value, unsigned size) {
        with_others_serviced(&host, [&] { ntb_endpoint_window_write(*host, 0, 2, offset, value, size); });
    }

    Cluster cluster_{2};
    Host a_{cluster_.socket(), 0};
    Host b_{cluster_.socket(), 1};
};

TEST_F(AccessTest, ReadIsMadeByTheTargetUnderTheProxyId) {
    NtbAccess seen{};
    a_.access = [&](const NtbAccess& access, std::uint64_t& value) {
        seen = access;
        value = 0x11223344;
        return true;
    };
    EXPECT_EQ(read(b_, 0x124, 4), 0x11223344U);
    EXPECT_EQ(seen.source, 1U);
    EXPECT_EQ(seen.proxy, 8U);
    EXPECT_EQ(seen.address, kDevice + 0x124);
    EXPECT_EQ(seen.size, 4U);
    EXPECT_FALSE(seen.write);
}

TEST_F(AccessTest, WritesComeInTheirOrder) {
    std::vector<std::uint64_t> values;
    a_.access = [&](const NtbAccess& access, std::uint64_t& value) {
        EXPECT_TRUE(access.write);
        EXPECT_EQ(access.size, 8U);
        values.push_back(value);
        return true;
    };
    for (std::uint64_t i = 1; i <= 20; ++i) write(b_, 0x100, i, 8);
    ASSERT_EQ(values.size(), 20U);
    for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(values[i], i + 1);
}

TEST_F(AccessTest, WhatTheTargetDoesNotDoIsAllOnes) {
    a_.access = [](const NtbAccess&, std::uint64_t& value) {
        value = 5;
        return false;
    };
    EXPECT_EQ(read(b_, 0, 2), 0xFFFFU);
    EXPECT_EQ(read(b_, 0, 8), UINT64_MAX);
}

TEST_F(AccessTest, NothingIsAskedOutsideOfTheWindowOrAcrossItsEnd) {
    int asked = 0;
    a_.access = [&](const NtbAccess&, std::uint64_t&) { return ++asked > 0; };
    EXPECT_EQ(read(b_, k64K, 4), 0xFFFFFFFFU);
    EXPECT_EQ(read(b_, k64K - 4, 8), UINT64_MAX);
    EXPECT_EQ(asked, 0);
    read(b_, k64K - 8, 8);
    EXPECT_EQ(asked, 1);
}

TEST_F(AccessTest, TwoHostsThatAskEachOtherBothComeThrough) {
    a_.access = [](const NtbAccess&, std::uint64_t& value) { return value = 0xA, true; };
    b_.access = [](const NtbAccess&, std::uint64_t& value) { return value = 0xB, true; };
    const auto reads = [](const Host& host, std::uint64_t expected, std::atomic<int>& right) {
        for (int i = 0; i < 500; ++i) right += ntb_endpoint_window_read(*host, 0, 2, 0, 4) == expected;
    };
    std::atomic<int> right = 0;
    std::atomic<bool> done = false;
    std::thread other([&] {
        reads(a_, 0xB, right);
        while (!done) a_.service();
    });
    reads(b_, 0xA, right);
    while (right < 1000 && b_.wait([&] { return true; })) std::this_thread::yield();
    done = true;
    other.join();
    EXPECT_EQ(right, 1000);
}

TEST_F(AccessTest, AccessThatComesToAWindowOfTheTargetGoesOn) {
    b_.access = [](const NtbAccess&, std::uint64_t& value) { return value = 0xB0B, true; };
    a_.access = [&](const NtbAccess&, std::uint64_t& value) {
        value = ntb_endpoint_window_read(*a_, 0, 2, 0, 4);
        return true;
    };
    EXPECT_EQ(read(b_, 0, 4), 0xB0BU);
}

TEST_F(AccessTest, TargetThatGoesAwayMeanwhileIsAllOnes) {
    std::uint64_t value = 0;
    std::thread asking([&] { value = ntb_endpoint_window_read(*b_, 0, 2, 0, 4); });
    a_.close();
    asking.join();
    EXPECT_EQ(value, 0xFFFFFFFFU);
}

TEST_F(AccessTest, OtherEndpointsOfTheProcessAreServicedWhileOneWaits) {
    // No thread services b; a waits until b has closed its window.
    ASSERT_TRUE(a_.tell_ram({{kDevice, k64K, a_.ram_fd(), 0}}));
    ASSERT_TRUE(b_.wait([&] { return b_.windows().size() == 1; }));
    ASSERT_TRUE(a_.tell_ram({}));
    EXPECT_TRUE(b_.windows().empty());
    a_.access = [](const NtbAccess&, std::uint64_t& value) { return value = 0xA, true; };
    EXPECT_EQ(ntb_endpoint_window_read(*b_, 0, 2, 0, 4), 0xAU);
}

TEST_F(AccessTest, RamIsGivenToThoseForWhomItIs) {
    Cluster three(3);
    Host a(three.socket(), 0);
    Host b(three.socket(), 1);
    Host c(three.socket(), 2);
    for (Host* host : {&b, &c}) {
        admit_cpu(*host);
        offer(a, host->partition(), {{2, 0x200000, 2 * k64K}}, [&] { host->service(); });
        ASSERT_TRUE(host->wait([&] { return host->windows().size() == 1; }));
    }
    // Less for b: it is waited for; c keeps what it has, and is not.
    with_others_serviced(&a, [&] {
        ASSERT_TRUE(a.tell_ram({{0x210000, k64K, a.ram_fd(), 0x210000}}, 1 << 1));
    });
    ASSERT_EQ(b.windows().size(), 1U);
    EXPECT_EQ(b.windows()[0].offset, k64K);
    ASSERT_EQ(c.windows().size(), 1U);
    EXPECT_EQ(c.windows()[0].size, 2 * k64K);
    // At another address, as an IOMMU gives it, in two pieces that are one window.
    with_others_serviced(&a, [&] {
        ASSERT_TRUE(a.tell_ram(
            {{0x200000, k64K, a.ram_fd(), 0x500000}, {0x210000, k64K, a.ram_fd(), 0x300000}}, 1 << 1));
    });
    ASSERT_EQ(b.windows().size(), 1U);
    EXPECT_EQ(b.windows()[0].size, 2 * k64K);
    b.bar(2)[0] = std::byte{0x55};
    b.bar(2)[k64K] = std::byte{0x33};
    EXPECT_EQ(a.ram()[0x500000], std::byte{0x55});
    EXPECT_EQ(a.ram()[0x300000], std::byte{0x33});
}

}  // namespace
}  // namespace fabric::test
