// SPDX-License-Identifier: MIT
// A host that does, access by access, what Linux 6.12 does: the DMA-alias quirk, switchtec.ko's probe,
// ntb_hw_switchtec's probe, and their interrupt handlers. Each step is one access or one poll, so that
// several guests can be interleaved in any way.
//
//     Guest a(bench, 0, 1, 0x1000'0000), b(bench, 1, 0, 0x2000'0000);
//     while (!a.idle() || !b.idle()) { a.step(); b.step(); bench.apply_windows(); }
//     EXPECT_EQ(a.failure(), "");
#pragma once

#include <switchtec/gas.h>

#include <deque>
#include <functional>
#include <string>

#include "bench.h"

namespace switchtec::test {

class Guest {
  public:
    /// `shared`: bus address of its shared memory window, aligned to 64 KiB.
    Guest(Bench& bench, unsigned self, unsigned peer, std::uint64_t shared)
        : bench_(bench), self_(self), peer_(peer), shared_(shared) {
        boot();
    }

    bool idle() const { return steps_.empty() || !failure_.empty(); }
    /// The NTB driver is bound, its interrupts are requested.
    bool probed() const { return probed_; }
    const std::string& failure() const { return failure_; }
    /// FORCE_DOWN messages that it has read.
    unsigned forced_down() const { return forced_down_; }

    /// Does the next access, or polls once more.
    void step() {
        if (!idle() && steps_.front()()) steps_.pop_front();
    }
    /// Takes one interrupt. The handler's accesses come at once: it runs on a CPU of its own. False: there
    /// was none.
    bool interrupt() {
        const auto vector = bench_.chip.take_interrupt(self_);
        if (!vector) return false;
        if (*vector == kEventVector && event_irq_) event_handler();
        if (*vector == kMessageVector && probed_irq_) message_handler();
        return true;
    }
    /// Power cycle: whatever it was doing ends, and it boots again. `ready`: it does not load the NTB driver
    /// before.
    void reboot(std::function<bool()> ready) {
        steps_.clear();
        probed_ = probed_irq_ = event_irq_ = false;
        bench_.chip.reset(self_);
        boot(std::move(ready));
    }

    /// Tells the peer to look at the link again.
    void send_check() { write(Reg::OutMessage, self_, 0, kCheck); }

  private:
    static constexpr unsigned kEventVector = 0, kDoorbellVector = 1, kMessageVector = 2;
    static constexpr std::uint32_t kForceDown = 4, kUp = 1, kCheck = 3;

    void add(std::function<void()> access) {
        steps_.push_back([access = std::move(access)] {
            access();
            return true;
        });
    }
    void write(Reg reg, unsigned block, unsigned index, std::uint64_t value) {
        add([=, this] { bench_.set(self_, reg, block, index, value); });
    }
    void expect(const char* what, bool right) {
        if (!right && failure_.empty()) failure_ = what;
    }

    void boot(std::function<bool()> ready = [] { return true; }) {
        add([this] { bench_.chip.attach(self_); });
        add([this] { bench_.chip.set_requester_id(self_, 0x0100); });
        quirk();
        management_probe();
        steps_.push_back(std::move(ready));
        ntb_probe();
    }

    void quirk() {  // quirks.c, quirk_switchtec_ntb_dma_alias
        add([this] {
            const auto partition = bench_.get(self_, Reg::NtbPartitionId);
            const auto map = bench_.chip.read(self_, offset_of(Reg::NtbEndpointMap), 4) |
                             bench_.get(self_, Reg::NtbTargetLow) << 32;
            for (unsigned p = 0; p < 64; ++p) {
                if (p == partition || (map >> p & 1) == 0) continue;
                // Beyond partition 47 the quirk reads what follows.
                const std::uint32_t control = SwitchtecNtbControlBase + p * SwitchtecNtbControlStride;
                const auto size = bench_.chip.read(self_, control + SwitchtecNtbRequesterTableSize, 2);
                if (p < bench_.chip.partitions())
                    expect("quirk: a peer has no proxies", size >= 2 && size <= 512);
                for (unsigned e = 0; e < size; ++e) {
                    const auto devfn =
                        bench_.chip.read(self_, control + SwitchtecNtbRequesterEntry + 4 * e, 4) >> 1 & 0xFF;
                    expect("quirk: no proxy devfn", devfn != 0);
                }
            }
        });
    }

    void management_probe() {  // switchtec.c, switchtec_pci_probe
        add([this] { bench_.chip.set_bus_master(self_, true); });
        add([this] {
            expect("partition id", bench_.chip.read(self_, offset_of(Reg::SysPartitionId), 1) == self_);
        });
        add([this] {
            expect("partition count", bench_.get(self_, Reg::NtbPartitionCount) == bench_.chip.partitions());
        });
        add([this] {
            while (bench_.get(self_, Reg::PffVendorId, ports_) == 0x11F8) ++ports_;
            expect("ports", ports_ == 2 * bench_.chip.partitions());
        });
        add([this] { expect("MRPC by DMA", bench_.get(self_, Reg::MrpcDmaVersion) == 1); });
        add([this] {
            expect("event vector", bench_.get(self_, Reg::PartVepVector, self_) == kEventVector);
            event_irq_ = true;
        });
        write(Reg::PartEvent, self_, kPartEventMrpcComp, kEventOccurred | kEventEnableIrq);
        add([this] {
            for (unsigned i = 0; i < ports_; ++i)
                bench_.set(self_, Reg::PffEvent, i, kPffEventLinkState, kEventOccurred | kEventEnableIrq);
            ports_ = 0;
        });
    }

    void ntb_probe() {  // ntb_hw_switchtec.c, switchtec_ntb_add
        add([this] {
            const auto targets = bench_.get(self_, Reg::NtbTargetHigh, 0, self_) << 32 |
                                 bench_.get(self_, Reg::NtbTargetLow, 0, self_);
            const auto map = bench_.get(self_, Reg::NtbEndpointMap);
            expect("target is not the peer", targets == 0 || (targets & map) == 1ULL << peer_);
            for (unsigned bar : {2U, 4U})
                expect("window BAR", bench_.get(self_, Reg::NtbBarCtl, peer_, bar) & kBarValid);
            expect("BAR0 is a window", !(bench_.get(self_, Reg::NtbBarCtl, self_, 0) & kBarValid));
            expect("LUT", bench_.get(self_, Reg::NtbLutEntries, self_) >= 1);
            expect("requester table", bench_.get(self_, Reg::NtbRequesterTableSize, self_) >= 2);
        });
        operate(self_, kOpLock, kLocking, kLocked, "requester table: lock");
        requester(0, 0);
        add([this] { expect("own requester ID", bench_.get(self_, Reg::NtbRequesterId) == 0x0100); });
        requester(1, 0x0100);
        operate(self_, kOpConfigure, kConfiguring, kNormal, "requester table: configure");
        add([this] { expect("crosslink", bench_.get(self_, Reg::NtbCrosslink, 0, peer_) == 0); });
        write(Reg::InDoorbellMask, self_, 0, 0xF000'0000'0000'0000);
        write(Reg::OutDoorbellMask, self_, 0, 0x0FFF'FFFFULL << (self_ < peer_ ? 32 : 0));
        messages();
        shared_window();
        for (unsigned i = 0; i < 64; ++i)
            write(Reg::InVectorMap, self_, i, i < 60 ? kDoorbellVector : kMessageVector);
        add([this] { probed_irq_ = true; });
        write(Reg::OutMessage, self_, 0, kForceDown);
        add([this] { probed_ = true; });
        write(Reg::OutMessage, self_, 0, kUp);
    }

    void operate(unsigned block, std::uint32_t op, unsigned transient, unsigned wanted,
                 const char* what) {  // switchtec_ntb_part_op
        write(Reg::NtbPartitionOp, block, 0, op);
        steps_.push_back([=, this] {
            const unsigned state = bench_.state(self_, block);
            if (state == transient) return false;
            expect(what, state == wanted);
            return true;
        });
    }

    void requester(unsigned entry, std::uint32_t id) {
        write(Reg::NtbRequesterEntry, self_, entry, id << 16 | kRequesterValid);
        add([=, this] {
            const auto value = bench_.get(self_, Reg::NtbRequesterEntry, self_, entry);
            expect("requester entry read back", value == (id << 16 | (8 + entry) << 1 | kRequesterValid));
        });
    }

    void messages() {
        std::uint32_t map = 0;
        for (unsigned i = 0; i < 4; ++i) map |= (i | peer_ << 2) << 8 * i;
        write(Reg::MessageMap, self_, 0, map);
        for (unsigned i = 0; i < 4; ++i) {
            add([=, this] {
                bench_.chip.write(self_, offset_of(Reg::InMessage, self_, i), 1ULL << 32 | 1ULL << 40, 8);
            });
        }
    }

    void shared_window() {  // config_rsvd_lut_win
        operate(peer_, kOpLock, kLocking, kLocked, "shared window: lock");
        add([this] {
            const auto ctl = bench_.get(self_, Reg::NtbBarCtl, peer_, 2) & 0xFF;
            bench_.set(self_, Reg::NtbBarCtl, peer_, 2, ctl | kBarLut | 16 << 8 | 63 << 14);
        });
        write(Reg::NtbLutEntry, peer_, 0, shared_ | self_ << 1 | kLutValid);
        operate(peer_, kOpConfigure, kConfiguring, kNormal, "shared window: configure");
    }

    void event_handler() {
        const auto header = bench_.get(self_, Reg::PartEvent, self_, kPartEventMrpcComp);
        if (header & kEventOccurred) bench_.set(self_, Reg::PartEvent, self_, kPartEventMrpcComp, header);
        for (unsigned i = 0; i < 2 * bench_.chip.partitions(); ++i)
            bench_.get(self_, Reg::PffEvent, i, kPffEventLinkState);
    }

    void message_handler() {
        for (unsigned i = 0; i < 4; ++i) {
            const auto message = bench_.chip.read(self_, offset_of(Reg::InMessage, self_, i), 8);
            if (!(message >> 32 & 1)) continue;
            bench_.set(self_, Reg::InMessageStatus, self_, i, 1);
            if (i != 0 || static_cast<std::uint32_t>(message) != kForceDown) continue;
            ++forced_down_;
            shared_window();  // switchtec_ntb_reinit_peer
        }
    }

    Bench& bench_;
    unsigned self_, peer_;
    std::uint64_t shared_;
    std::deque<std::function<bool()>> steps_;
    std::string failure_;
    unsigned ports_ = 0, forced_down_ = 0;
    bool event_irq_ = false, probed_irq_ = false, probed_ = false;
};

}  // namespace switchtec::test
