// SPDX-License-Identifier: MIT
// Events against the interrupt handler of Linux 6.12 switchtec.c: a host that does what switchtec_event_isr
// does, access by access, loses no event and is not interrupted for ever.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mrpc_bench.h"

namespace switchtec::test {
namespace {

class EventHandler {
  public:
    EventHandler(Bench& bench, unsigned host) : bench_(bench), host_(host) {
        // switchtec_pci_probe
        bench_.set(host_, Reg::PartEvent, host_, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
        for (unsigned i = 0; i < ports(); ++i) {
            bench_.set(host_, Reg::PffEvent, i, kPffEventLinkState, kEventOccurred | kEventEnableIrq);
            counts_.push_back(link_count(i));
        }
    }

    /// Serves every interrupt there is; how many there were.
    unsigned serve() {
        unsigned interrupts = 0;
        while (bench_.chip.take_interrupt(host_)) {
            isr();
            ++interrupts;
        }
        return interrupts;
    }

    unsigned commands = 0, link_changes = 0, events = 0;  ///< That the handler has seen.

  private:
    unsigned ports() const { return 2 * bench_.chip.partitions(); }
    unsigned link_count(unsigned port) const {
        return bench_.get(host_, Reg::PffEvent, port, kPffEventLinkState) >> kEventCountShift & 0xFF;
    }
    void isr() {  // switchtec_event_isr
        const auto header = bench_.get(host_, Reg::PartEvent, host_, kPartEventMrpcComp);
        if (header & kEventOccurred) {
            ++commands;
            bench_.set(host_, Reg::PartEvent, host_, kPartEventMrpcComp, header);
        }
        for (unsigned i = 0; i < ports(); ++i) {  // check_link_state_events
            if (counts_[i] != link_count(i)) ++link_changes;
            counts_[i] = link_count(i);
        }
        for (unsigned e = 0; e < kGlobalEvents; ++e) mask(Reg::GlobalEvent, 0, e);
        for (unsigned p = 0; p < bench_.chip.partitions(); ++p) {
            for (unsigned e = 0; e < kPartEvents; ++e) {
                if (e != kPartEventMrpcComp) mask(Reg::PartEvent, p, e);
            }
        }
        for (unsigned i : {2 * host_, 2 * host_ + 1}) {  // pff_local
            for (unsigned e = 0; e < kPffEvents; ++e) {
                if (e != kPffEventLinkState) mask(Reg::PffEvent, i, e);
            }
        }
    }
    void mask(Reg reg, unsigned block, unsigned event) {  // mask_event
        auto header = bench_.get(host_, reg, block, event);
        if (header & kEventNotSupported) return;
        if (!(header & kEventOccurred) || !(header & kEventEnableIrq)) return;
        ++events;
        header &= ~std::uint64_t{kEventOccurred | kEventEnableIrq};
        bench_.set(host_, reg, block, event, header);
    }

    Bench& bench_;
    unsigned host_;
    std::vector<unsigned> counts_;
};

class EventIsr : public ::testing::Test {
  protected:
    MrpcBench bench{device(kGen4)};
    EventHandler host{bench, 0};
};

TEST_F(EventIsr, AFirmwareCommandIsSeenOnce) {
    for (unsigned i = 1; i <= 3; ++i) {
        bench.call(0x41);
        EXPECT_EQ(host.serve(), 1U);
        EXPECT_EQ(host.commands, i);
    }
}

TEST_F(EventIsr, EveryLinkChangeInterruptsThoughOccurredStaysSet) {
    for (unsigned i = 1; i <= 300; ++i) {
        if (i % 2 != 0) {
            bench.chip.detach(1);
        } else {
            bench.chip.attach(1);
        }
        ASSERT_EQ(host.serve(), 1U) << i;
        ASSERT_EQ(host.link_changes, i) << "the count wraps, a change is seen all the same";
        ASSERT_EQ(bench.get(0, Reg::PffEvent, 2, kPffEventLinkState) & 0x1F,
                  kEventOccurred | kEventEnableIrq);
    }
}

TEST_F(EventIsr, AnEventIsDisarmedByTheHandlerAndLeftForTheUser) {
    // EVENT_CTL of a user: enable polling of part_reset.
    bench.set(0, Reg::PartEvent, 1, kPartEventReset, kEventEnableIrq | kEventOccurred);
    bench.chip.reset(1);
    host.serve();
    EXPECT_EQ(host.events, 1U);
    EXPECT_EQ(bench.get(0, Reg::PartEvent, 1, kPartEventReset), kEventOccurred | 1U << kEventCountShift);
    bench.chip.reset(1);
    host.serve();
    EXPECT_EQ(host.events, 1U) << "disarmed: the link change interrupts, the reset does not count";
    EXPECT_EQ(bench.get(0, Reg::PartSummary, 1), 1U) << "summary for EVENT_SUMMARY";
    // EVENT_CTL of the user: clear and enable again.
    bench.set(0, Reg::PartEvent, 1, kPartEventReset, kEventEnableIrq | kEventOccurred);
    EXPECT_EQ(bench.get(0, Reg::PartSummary, 1), 0U);
    bench.chip.reset(1);
    host.serve();
    EXPECT_EQ(host.events, 2U);
}

TEST_F(EventIsr, ThePortBitmapSaysWhichPortHasAnEvent) {
    bench.set(0, Reg::PffEvent, 2, kPffEventLinkState, kEventOccurred | kEventEnableIrq);
    EXPECT_EQ(bench.get(0, Reg::PartPortEvents, 1), 0U);
    bench.chip.reset(1);
    EXPECT_EQ(bench.get(0, Reg::PartPortEvents, 1), 1U);
}

TEST_F(EventIsr, EventsThatThisSwitchDoesNotHaveSaySo) {
    bench.set(0, Reg::GlobalEvent, 0, kGlobalEventGfms, kEventEnableIrq);
    EXPECT_EQ(bench.get(0, Reg::GlobalEvent, 0, kGlobalEventGfms), kEventNotSupported);
    EXPECT_EQ(bench.get(0, Reg::GlobalEvent, 0, 0), 0U);
}

// What both hosts' NTB drivers read of the link: ntb_hw_switchtec.c, switchtec_ntb_part_link_speed.
TEST_F(EventIsr, LinkSpeedAndWidthOfBothHosts) {
    const auto link = [&](unsigned viewer, unsigned partition) {
        const auto pff = static_cast<unsigned>(bench.get(viewer, Reg::PartVepPff, partition) & 0xFF);
        const auto value = bench.chip.read(viewer, offset_of(Reg::PffCapability, pff, (0x74 - 0x40) / 4), 4);
        return std::pair(value >> 16 & 0xF, value >> 20 & 0x3F);
    };
    for (unsigned viewer : {0U, 1U}) {
        for (unsigned partition : {0U, 1U}) EXPECT_EQ(link(viewer, partition), std::pair(4UL, 16UL));
    }
    bench.chip.detach(1);
    EXPECT_EQ(link(0, 1), std::pair(0UL, 0UL));
    EXPECT_EQ(link(0, 0), std::pair(4UL, 16UL));
}

// Both hosts' handlers and what happens in between, in any order: when all is served, nothing is left to
// interrupt, and each host has seen as many link states as there are.
RC_GTEST_PROP(EventIsrInAnyOrder, NothingIsLostAndItEnds, ()) {
    MrpcBench bench(device(kGen4, 4));
    EventHandler host0(bench, 0), host1(bench, 1);
    unsigned commands = 0, answered = 0;
    for (unsigned action : *rc::gen::container<std::vector<unsigned>>(60, rc::gen::inRange(0U, 7U))) {
        switch (action) {
            case 0:
                bench.chip.reset(2);
                break;
            case 1:
                bench.chip.detach(3);
                break;
            case 2:
                bench.chip.attach(3);
                break;
            case 3:
                host0.serve();
                break;
            case 4:
                host1.serve();
                break;
            case 5:
                // The driver sends the next command when the last one is complete.
                if (answered == commands) {
                    bench.call(0x41);
                    ++commands;
                }
                break;
            default:
                host0.serve();
                answered = host0.commands;
        }
    }
    RC_ASSERT(host0.serve() <= 1U);
    RC_ASSERT(host1.serve() <= 1U);
    RC_ASSERT(host0.serve() == 0U);
    RC_ASSERT(host0.commands == commands);
    RC_ASSERT(host1.commands == 0U);
    for (EventHandler* host : {&host0, &host1}) {
        const unsigned before = host->link_changes;
        bench.chip.reset(2);
        host->serve();
        RC_ASSERT(host->link_changes == before + 1);
        host->serve();
    }
}

}  // namespace
}  // namespace switchtec::test
