// SPDX-License-Identifier: MIT
// One endpoint used by several threads, as by a hypervisor with several vCPUs.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "cluster.h"
#include "driver.h"
#include "peer_process.h"

namespace fabric::test {
namespace {

struct Seen {
    std::atomic<unsigned> interrupts = 0;
    std::atomic<unsigned> inside = 0;
    std::atomic<bool> overlapped = false;
};

const NtbEndpointOps kOps{
    [](void* opaque, unsigned) {
        auto& seen = *static_cast<Seen*>(opaque);
        if (seen.inside.fetch_add(1) != 0) seen.overlapped = true;
        ++seen.interrupts;
        seen.inside.fetch_sub(1);
    },
    [](void*) {},
    [](void*, const char*) {},
    nullptr,
    nullptr,
    nullptr,
};

TEST(Threads, RegistersWindowsAndHostEventsFromAllSides) {
    Cluster cluster(2);
    PeerProcess b(cluster.socket(), 1, [](Host& host) {
        set_up_interrupts(host, 0);
        for (unsigned i = 0; !told_to_end(); ++i) {
            ring(host, i % 60);
            send(host, 0, i);
            if (i % 100 == 0) offer(host, 0, {{2, 0x10000 * (1 + i / 100 % 64), 0x10000}});
            host.service();
        }
        return 0;
    });
    Host a(cluster.socket(), 0);
    Seen seen;
    ntb_endpoint_set_ops(*a, &kOps, &seen);
    set_up_interrupts(a, 1);
    admit_cpu(a);

    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (unsigned cpu = 0; cpu < 3; ++cpu) {
        threads.emplace_back([&a, cpu] {
            for (unsigned i = 0; i < 3000; ++i) {
                ring(a, (i + cpu) % 60);
                take_doorbells(a);
                take_message(a, 0);
                EXPECT_EQ(a.read(0x2000, 2), 0x4052U);
            }
        });
    }
    std::thread io([&] {
        while (!done) {
            pollfd entry{ntb_endpoint_fd(*a), POLLIN, 0};
            ::poll(&entry, 1, 10);
            a.service();
            for (const auto& window : a.windows()) a.bar(window.bar)[window.offset] = std::byte{1};
        }
    });
    for (int i = 0; i < 20; ++i) {
        ntb_endpoint_set_bus_master(*a, i % 2 != 0);
        ntb_endpoint_set_requester_id(*a, static_cast<std::uint16_t>(i));
        EXPECT_TRUE(a.tell_ram({{0, kRam - 0x1000U * static_cast<unsigned>(i), a.ram_fd(), 0}}));
    }
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(a.wait([&] { return seen.interrupts > 0; }));
    done = true;
    io.join();
    EXPECT_FALSE(seen.overlapped) << "interrupts were delivered by two threads at once";
    b.tell_to_end();
    EXPECT_EQ(b.join(a), 0);
}

}  // namespace
}  // namespace fabric::test
