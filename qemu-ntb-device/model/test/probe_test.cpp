// SPDX-License-Identifier: MIT
// Both hosts' drivers probe at once, interleaved in every way: no probe fails, and each sees the other's
// shared memory.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "guest.h"

namespace switchtec::test {
namespace {

constexpr std::uint64_t kMemory[] = {0x1'1111'0000, 0x2'2222'0000};

class Cluster {
  public:
    // Who acts: a host's CPU, its interrupt handler, or its emulator (windows applied, message gap over).
    enum Actor { Cpu0, Cpu1, Irq0, Irq1, Emulator0, Emulator1 };

    void act(unsigned actor) {
        switch (actor) {
            case Cpu0:
            case Cpu1:
                guest[actor].step();
                break;
            case Irq0:
            case Irq1:
                guest[actor - Irq0].interrupt();
                break;
            default:
                bench.chip.windows_applied(actor - Emulator0,
                                           bench.chip.window_generation(actor - Emulator0));
                bench.chip.end_message_gaps(actor - Emulator0);
        }
    }
    /// Everybody in turn until nothing is left to do. False: it never ends.
    bool finish() {
        for (unsigned round = 0; round < 100'000; ++round) {
            for (unsigned actor : {Cpu0, Cpu1, Emulator0, Emulator1}) act(actor);
            const bool interrupted[] = {guest[0].interrupt(), guest[1].interrupt()};
            if (guest[0].idle() && guest[1].idle() && !interrupted[0] && !interrupted[1]) return true;
        }
        return false;
    }
    Translation seen_by(unsigned host) const {
        return bench.chip.translate(host, 2, 0).value_or(Translation{0xFF, 0});
    }

    Bench bench{pairs(2)};
    Guest guest[2] = {{bench, 0, 1, kMemory[0]}, {bench, 1, 0, kMemory[1]}};
};

void expect_link(Cluster& c) {
    EXPECT_TRUE(c.finish());
    EXPECT_EQ(c.guest[0].failure(), "");
    EXPECT_EQ(c.guest[1].failure(), "");
    EXPECT_EQ(c.seen_by(0), (Translation{1, kMemory[1]}));
    EXPECT_EQ(c.seen_by(1), (Translation{0, kMemory[0]}));
    // A message that came while the driver was not there yet may be unread: the next one must get through all
    // the same.
    for (Guest& guest : c.guest) guest.send_check();
    EXPECT_TRUE(c.finish());
    for (unsigned p : {0U, 1U}) {
        EXPECT_EQ(c.bench.chip.lock_owner(p), std::nullopt);
        EXPECT_EQ(c.bench.get(p, Reg::InMessageStatus, p), 0U) << "an unread message";
    }
}

void run_alone(Cluster& c, unsigned host) {
    while (!c.guest[host].idle()) {
        c.act(host);
        c.act(Cluster::Emulator0);
        c.act(Cluster::Emulator1);
    }
}

TEST(Probe, OneAfterTheOther) {
    for (unsigned first : {0U, 1U}) {
        Cluster c;
        run_alone(c, first);
        run_alone(c, 1 - first);
        expect_link(c);
    }
}

TEST(Probe, InLockstep) {
    Cluster c;
    expect_link(c);
}

TEST(Probe, RebootedHostForcesTheLinkDownAtItsPeer) {
    Cluster c;
    expect_link(c);
    const unsigned before = c.guest[0].forced_down();
    c.guest[1].reboot([] { return true; });
    EXPECT_EQ(c.seen_by(0).target, 0xFF);
    EXPECT_EQ(c.seen_by(1).target, 0xFF);
    expect_link(c);
    EXPECT_EQ(c.guest[0].forced_down(), before + 1);
}

TEST(Probe, OneStepFromEachPointOnTheOtherRunsToItsEnd) {
    // Host 0 does `lead` steps, then host 1 probes as far as it gets, then both go on.
    for (unsigned lead = 0; lead < 150; ++lead) {
        Cluster c;
        for (unsigned i = 0; i < lead; ++i) {
            c.act(Cluster::Cpu0);
            c.act(Cluster::Emulator0);
            c.act(Cluster::Emulator1);
        }
        for (unsigned i = 0; i < 300; ++i) {
            c.act(Cluster::Cpu1);
            c.act(Cluster::Emulator0);
            c.act(Cluster::Emulator1);
        }
        expect_link(c);
        if (::testing::Test::HasFailure()) FAIL() << "lead " << lead;
    }
}

RC_GTEST_PROP(ProbeInAnyOrder, BothSucceedAndSeeEachOther, ()) {
    Cluster c;
    for (unsigned actor : *rc::gen::container<std::vector<unsigned>>(400, rc::gen::inRange(0U, 6U)))
        c.act(actor);
    RC_ASSERT(c.finish());
    RC_ASSERT(c.guest[0].failure() == "" && c.guest[1].failure() == "");
    RC_ASSERT(c.seen_by(0) == (Translation{1, kMemory[1]}));
    RC_ASSERT(c.seen_by(1) == (Translation{0, kMemory[0]}));
}

RC_GTEST_PROP(ProbeInAnyOrder, AHostThatRebootsAnywhereComesBack, ()) {
    Cluster c;
    const auto actors = *rc::gen::container<std::vector<unsigned>>(600, rc::gen::inRange(0U, 6U));
    const auto when = *rc::gen::inRange<std::size_t>(0, 600);
    for (std::size_t i = 0; i < actors.size(); ++i) {
        if (i == when) {
            c.guest[1].reboot(
                [&c] { return c.guest[0].probed(); });  // Booting takes seconds, a probe does not.
            RC_ASSERT(c.bench.chip.windows(0).empty());
        }
        c.act(actors[i]);
    }
    RC_ASSERT(c.finish());
    RC_ASSERT(c.guest[0].failure() == "" && c.guest[1].failure() == "");
    RC_ASSERT(c.seen_by(0) == (Translation{1, kMemory[1]}));
    RC_ASSERT(c.seen_by(1) == (Translation{0, kMemory[0]}));
}

}  // namespace
}  // namespace switchtec::test
