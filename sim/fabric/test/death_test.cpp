// SPDX-License-Identifier: MIT
// Processes that die at any moment: the others see it and go on.
#include <gtest/gtest.h>
#include <switchtec/registers.h>

#include <csignal>
#include <random>
#include <thread>

#include "cluster.h"
#include "driver.h"
#include "peer_process.h"

namespace fabric::test {
namespace {

constexpr std::uint64_t k64K = 0x10000;

// Works on every kind of register, its peer's windows included, for as long as it lives.
int hammer_registers(Host& host) {
    set_up_interrupts(host, 0);
    for (unsigned i = 0;; ++i) {
        ring(host, i % 60);
        send(host, i % 2, i);
        take_doorbells(host);
        take_message(host, i % 2);
        const std::uint32_t control = 0x14000 + 0x2000 * (i % 2);
        host.write(control + 4, 1 + i % 3, 4);
        host.write(control + 0x1000, 0x100000 | host.partition() << 1 | 1, 8);
        host.service();
    }
    return 0;
}

TEST(Death, TwoHundredKillsInTheMiddleOfRegisterAccesses) {
    Cluster cluster(2);
    Host a(cluster.socket(), 0);
    set_up_interrupts(a, 1);
    arm_link_events(a);
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const unsigned before = link_events(a, 1);
        PeerProcess b(cluster.socket(), 1, hammer_registers);
        // The other host keeps working on the same switch until then.
        const auto accesses = random() % 400;
        for (unsigned i = 0; i < accesses; ++i) {
            ring(a, i % 60);
            take_doorbells(a);
            a.service();
        }
        ::kill(b.pid(), SIGKILL);
        ASSERT_EQ(b.join(), 128 + SIGKILL);
        // Up, and down again; 8 bits of count.
        ASSERT_TRUE(a.wait([&] { return ((link_events(a, 1) - before) & 0xFF) == 2; })) << "round " << round;
        ASSERT_TRUE(a.windows().empty());
    }
    EXPECT_TRUE(a.lost.empty());
}

TEST(Death, NoInterruptOvertakesTheWindowsThatGo) {
    Cluster cluster(2);
    Host a(cluster.socket(), 0);
    set_up_interrupts(a, 1);
    arm_link_events(a);
    admit_cpu(a);
    a.write(switchtec::offset_of(switchtec::Reg::InDoorbellMask, 0), 0, 8);
    PeerProcess b(cluster.socket(), 1, [](Host& host) {
        set_up_interrupts(host, 0);
        offer(host, 0, {{2, 0x200000, k64K}});
        ring(host, 5);
        service_until_told(host);
        return 0;
    });
    const std::uint32_t doorbells = switchtec::offset_of(switchtec::Reg::InDoorbell, 0);
    ASSERT_TRUE(a.wait([&] { return a.windows().size() == 1 && a.read(doorbells, 8) != 0; }));
    const unsigned before = link_events(a, 1);
    ::kill(b.pid(), SIGKILL);
    ASSERT_EQ(b.join(), 128 + SIGKILL);
    // A host that is busy elsewhere: its registers say that b is gone, its service thread has not run.
    while (link_events(a, 1) == before) std::this_thread::yield();
    a.interrupts.clear();
    a.write(switchtec::offset_of(switchtec::Reg::InDoorbellMask, 0), ~std::uint64_t{0}, 8);
    ASSERT_EQ(a.windows().size(), 1U);
    EXPECT_EQ(a.interrupts, std::vector<unsigned>{})
        << "an interrupt while the dead peer's memory is still seen";
    EXPECT_TRUE(a.wait([&] { return a.count(kEventVector) > 0; }));
    EXPECT_TRUE(a.windows().empty());
}

TEST(Death, WindowsOfTheDeadAreUnmappedAndComeBackOnlyWhenProgrammedAnew) {
    Cluster cluster(2);
    Host a(cluster.socket(), 0);
    arm_link_events(a);
    admit_cpu(a);
    for (int round = 0; round < 20; ++round) {
        a.interrupts.clear();
        PeerProcess b(cluster.socket(), 1, [](Host& host) {
            offer(host, 0, {{2, 0x200000, k64K}, {4, 0x400000, 0x100000}});
            service_until_told(host);
            return 0;
        });
        ASSERT_TRUE(a.wait([&] { return a.windows().size() == 2; })) << "round " << round;
        ::kill(b.pid(), SIGKILL);
        ASSERT_EQ(b.join(), 128 + SIGKILL);
        ASSERT_TRUE(a.wait([&] { return a.windows().empty() && a.count(kEventVector) > 0; }))
            << "round " << round;
        a.bar(2)[0] = std::byte{1};  // Neither faults nor reaches anybody.

        Host again(cluster.socket(), 1);
        a.service();
        EXPECT_TRUE(a.windows().empty());
    }
}

TEST(Death, RestartedHostWorksWithTheSurvivor) {
    Cluster cluster(2);
    Host a(cluster.socket(), 0);
    {
        PeerProcess b(cluster.socket(), 1, hammer_registers);
        ::kill(b.pid(), SIGKILL);
        b.join();
    }
    Host b(cluster.socket(), 1);
    admit_cpu(a);
    offer(b, 0, {{2, 0x200000, k64K}}, [&] { a.service(); });
    a.service();
    ASSERT_EQ(a.windows().size(), 1U);
    a.bar(2)[7] = std::byte{0x42};
    EXPECT_EQ(b.ram()[0x200007], std::byte{0x42});
    set_up_interrupts(a, 1);
    set_up_interrupts(b, 0);
    ring(a, 9);
    ASSERT_TRUE(b.wait([&] { return b.count(kDoorbellVector) == 1; }));
    EXPECT_EQ(take_doorbells(b), std::uint64_t{1} << 9);
}

TEST(Death, LockOfADeadHostIsFree) {
    Cluster cluster(2);
    Host a(cluster.socket(), 0);
    {
        PeerProcess b(cluster.socket(), 1, [](Host& host) {
            host.write(0x14004, 1, 4);
            service_until_told(host);
            return 0;
        });
        ASSERT_TRUE(a.wait([&] { return true; }));
    }
    offer(a, 1, {{2, 0x200000, k64K}});
}

TEST(Death, FabricThatIsKilledIsLostOnceAndEveryWindowCloses) {
    Cluster cluster(2);
    Host a(cluster.socket(), 0);
    Host b(cluster.socket(), 1);
    admit_cpu(b);
    offer(a, 1, {{2, 0x200000, k64K}}, [&] { b.service(); });
    b.service();
    ASSERT_EQ(b.windows().size(), 1U);
    const int changes = b.windows_changed;
    cluster.end(SIGKILL);
    ASSERT_TRUE(b.wait([&] { return !b.lost.empty(); }));
    EXPECT_TRUE(b.windows().empty());
    EXPECT_EQ(b.windows_changed, changes + 1);
    b.bar(2)[0] = std::byte{0x99};
    EXPECT_EQ(a.ram()[0x200000], std::byte{0});
    for (int i = 0; i < 3; ++i) b.service();
    EXPECT_EQ(b.lost.size(), 1U);
    EXPECT_NE(b.lost[0].find("fabric"), std::string::npos);

    // A device whose switch is gone: master abort.
    EXPECT_EQ(b.read(0x2000, 4), 0xFFFFFFFFU);
    b.write(0x75000, 1, 8);
    ntb_endpoint_reset(*b);
    ntb_endpoint_set_bus_master(*b, false);
    EXPECT_TRUE(b.tell_ram({}));
    EXPECT_EQ(b.lost.size(), 1U);

    // One that has not looked yet finds out inside a call that needs the fabric.
    ntb_endpoint_reset(*a);
    EXPECT_EQ(a.lost.size(), 1U);
}

}  // namespace
}  // namespace fabric::test
