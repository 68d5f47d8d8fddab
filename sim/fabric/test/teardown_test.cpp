// SPDX-License-Identifier: MIT
// What a host's end takes from its peers is gone when the call that ends it returns.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>

#include "cluster.h"
#include "driver.h"
#include "peer_process.h"

namespace fabric::test {
namespace {

constexpr std::uint64_t k64K = 0x10000;

// What the processes of a test tell each other beside the fabric.
struct Board {
    std::atomic<unsigned> stage;
    std::atomic<std::uint64_t> rounds;
    std::atomic<unsigned> windows;
};

// A host that writes through its window as fast as it can, at the place of each mapped window that it has at
// the moment.
int hammer(Host& host, Board& board) {
    for (std::uint64_t round = 1; board.stage.load() == 0; ++round) {
        host.service();
        const auto windows = host.windows();
        board.windows = static_cast<unsigned>(windows.size());
        for (const auto& window : windows) {
            std::memcpy(host.bar(window.bar) + window.offset, &round, sizeof(round));
        }
        board.rounds = round;
    }
    return 0;
}

class TeardownTest : public ::testing::Test {
  protected:
    TeardownTest()
        : board_(new (::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                             0)) Board{}) {}
    ~TeardownTest() override { ::munmap(board_, sizeof(Board)); }

    // Clears the word that the peer writes, and sees whether it stays cleared while the peer goes on.
    bool written_again() const {
        volatile std::uint64_t& word = *reinterpret_cast<volatile std::uint64_t*>(a_.ram() + 0x200000);
        word = 0;
        const std::uint64_t begin = board_->rounds;
        while (board_->rounds < begin + 10) {
            if (word != 0) return true;
        }
        return word != 0;
    }
    bool wait_for_window() {
        return a_.wait([&] { return board_->windows == 1; });
    }

    Cluster cluster_{2};
    Host a_{cluster_.socket(), 0};
    Board* board_;
};

struct Ending {
    const char* name;
    void (*end)(Host&);
};

class TeardownByTest : public TeardownTest, public ::testing::WithParamInterface<Ending> {};

TEST_P(TeardownByTest, PeerHasNothingWhenTheCallReturns) {
    PeerProcess b(cluster_.socket(), 1, [this](Host& host) { return hammer(host, *board_); });
    for (int round = 0; round < 20; ++round) {
        ntb_endpoint_set_bus_master(*a_, true);
        ASSERT_TRUE(a_.tell_ram({{0, kRam, a_.ram_fd(), 0}}));
        offer(a_, 1, {{2, 0x200000, k64K}});
        ASSERT_TRUE(wait_for_window());
        ASSERT_TRUE(written_again());
        GetParam().end(a_);
        ASSERT_FALSE(written_again()) << "round " << round;
    }
    board_->stage = 1;
    EXPECT_EQ(b.join(a_), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Endings, TeardownByTest,
    ::testing::Values(Ending{"Reset", [](Host& host) { ntb_endpoint_reset(*host); }},
                      Ending{"BusMasterOff", [](Host& host) { ntb_endpoint_set_bus_master(*host, false); }},
                      Ending{"NoRam", [](Host& host) { EXPECT_TRUE(host.tell_ram({})); }}),
    [](const auto& ending) { return ending.param.name; });

TEST_F(TeardownTest, PeerHasNothingWhenCloseReturns) {
    PeerProcess b(cluster_.socket(), 1, [this](Host& host) { return hammer(host, *board_); });
    offer(a_, 1, {{2, 0x200000, k64K}});
    ASSERT_TRUE(wait_for_window());
    a_.close();
    std::memset(a_.ram(), 0, kRam);
    const std::uint64_t begin = board_->rounds;
    while (board_->rounds < begin + 10) ::usleep(100);
    for (std::uint64_t i = 0; i < kRam; ++i) ASSERT_EQ(a_.ram()[i], std::byte{0}) << i;
    board_->stage = 1;
    EXPECT_EQ(b.join(), 0);
}

TEST_F(TeardownTest, HostsThatResetAtOnceComeThrough) {
    constexpr int kRounds = 50;
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        for (int i = 0; i < kRounds; ++i) {
            ntb_endpoint_reset(*host);
            ntb_endpoint_set_bus_master(*host, true);
        }
        service_until_told(host);
        return 0;
    });
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRounds; ++i) {
        ntb_endpoint_reset(*a_);
        ntb_endpoint_set_bus_master(*a_, true);
    }
    // One that ran into the limit for dead peers would take 10 s.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    b.tell_to_end();
    EXPECT_EQ(b.join(a_), 0);
}

TEST_F(TeardownTest, HostsThatChangeTheirRamAtOnceComeThrough) {
    constexpr int kRounds = 100;
    const auto change = [](Host& host) {
        bool fine = true;
        for (int i = 0; i < kRounds; ++i) {
            fine = host.tell_ram({{0, i % 2 == 0 ? kRam / 2 : kRam, host.ram_fd(), 0}}) && fine;
        }
        return fine;
    };
    PeerProcess b(cluster_.socket(), 1, [&](Host& host) {
        offer(host, 0, {{2, 0x200000, k64K}});
        const bool fine = change(host);
        service_until_told(host);
        return fine ? 0 : 1;
    });
    admit_cpu(a_);
    offer(a_, 1, {{2, 0x200000, k64K}});
    EXPECT_TRUE(change(a_));
    b.tell_to_end();
    EXPECT_EQ(b.join(a_), 0);
}

TEST_F(TeardownTest, StoppedPeerDoesNotHoldUpForEver) {
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        service_until_told(host);
        return 0;
    });
    offer(a_, 1, {{2, 0x200000, k64K}});
    ::kill(b.pid(), SIGSTOP);
    const auto begin = std::chrono::steady_clock::now();
    ntb_endpoint_reset(*a_);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9))
        << "the peer still had its window";
    ::kill(b.pid(), SIGCONT);
    b.tell_to_end();
    EXPECT_EQ(b.join(a_), 0);
}

TEST_F(TeardownTest, PeerThatIsKilledDoesNotHoldUp) {
    PeerProcess b(cluster_.socket(), 1, [](Host& host) {
        service_until_told(host);
        return 0;
    });
    offer(a_, 1, {{2, 0x200000, k64K}});
    ::kill(b.pid(), SIGSTOP);
    const pid_t killer = ::fork();
    if (killer == 0) {
        ::usleep(200000);
        ::kill(b.pid(), SIGKILL);
        ::_exit(0);
    }
    const auto begin = std::chrono::steady_clock::now();
    ntb_endpoint_reset(*a_);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9));
    EXPECT_EQ(b.join(), 128 + SIGKILL);
}

}  // namespace
}  // namespace fabric::test
