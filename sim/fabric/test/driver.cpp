// SPDX-License-Identifier: MIT
#include "driver.h"

#include <switchtec/registers.h>

#include <bit>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace fabric::test {

using switchtec::offset_of;
using switchtec::Reg;

void set_up_interrupts(const Host& host, unsigned peer) {
    const unsigned own = host.partition();
    for (unsigned bit = 0; bit < 64; ++bit) {
        host.write(offset_of(Reg::InVectorMap, own, bit), bit < 60 ? kDoorbellVector : kMessageVector, 1);
    }
    host.write(offset_of(Reg::OutDoorbellMask, own), ~std::uint64_t{0}, 8);
    host.write(offset_of(Reg::InDoorbellMask, own), ~std::uint64_t{0}, 8);
    host.write(offset_of(Reg::MessageMap, own), (peer << 2) | (((peer << 2) | 1) << 8), 4);
    for (unsigned i = 0; i < 4; ++i) {
        host.write(offset_of(Reg::InMessage, own, i), (std::uint64_t{1} << 32) | (std::uint64_t{1} << 40), 8);
    }
    ntb_endpoint_end_message_gap(*host);
}

void ring(const Host& host, unsigned bit) {
    host.write(offset_of(Reg::OutDoorbell, host.partition()), std::uint64_t{1} << bit, 8);
}

void send(const Host& host, unsigned index, std::uint32_t message) {
    host.write(offset_of(Reg::OutMessage, host.partition(), index), message, 4);
}

std::uint32_t take_message(const Host& host, unsigned index) {
    const auto message = host.read(offset_of(Reg::InMessage, host.partition(), index), 8);
    host.write(offset_of(Reg::InMessageStatus, host.partition(), index), 1, 1);
    ntb_endpoint_end_message_gap(*host);
    return static_cast<std::uint32_t>(message);
}

std::uint64_t take_doorbells(const Host& host) {
    const auto bits = host.read(offset_of(Reg::InDoorbell, host.partition()), 8);
    host.write(offset_of(Reg::InDoorbell, host.partition()), bits, 8);
    return bits;
}

unsigned link_events(const Host& host, unsigned partition) {
    const auto pff = static_cast<unsigned>(host.read(offset_of(Reg::PartUspPff, partition), 4) & 0xFF);
    const auto header = host.read(offset_of(Reg::PffEvent, pff, switchtec::kPffEventLinkState), 4);
    return (header >> switchtec::kEventCountShift) & 0xFF;
}

void arm_link_events(const Host& host) {
    for (unsigned pff = 0; host.read(offset_of(Reg::PffVendorId, pff), 2) == 0x11F8; ++pff) {
        host.write(offset_of(Reg::PffEvent, pff, switchtec::kPffEventLinkState),
                   switchtec::kEventOccurred | switchtec::kEventEnableIrq, 4);
    }
}

namespace {

void operate(Host& host, unsigned block, std::uint32_t operation, std::uint32_t wanted,
             const std::function<void()>& meanwhile) {
    const auto transient = [](std::uint64_t state) {
        return state == switchtec::kLocking || state == switchtec::kConfiguring ||
               state == switchtec::kResetting;
    };
    host.write(offset_of(Reg::NtbPartitionOp, block), operation, 4);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(kLimitSeconds);
    for (;;) {
        const auto state = host.read(offset_of(Reg::NtbPartitionStatus, block), 4) & 0xFFFF;
        if (state == wanted) return;
        if (!transient(state)) throw std::runtime_error("operation ended in state " + std::to_string(state));
        if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("operation did not end");
        host.service();
        if (meanwhile) meanwhile();
        std::this_thread::sleep_for(
            std::chrono::milliseconds(1));  // The register is to be polled; there is no interrupt.
    }
}

}  // namespace

void admit_cpu(Host& host, const std::function<void()>& meanwhile) {
    const unsigned own = host.partition();
    operate(host, own, switchtec::kOpLock, switchtec::kLocked, meanwhile);
    host.write(offset_of(Reg::NtbRequesterEntry, own, 0), switchtec::kRequesterValid, 4);
    operate(host, own, switchtec::kOpConfigure, switchtec::kNormal, meanwhile);
}

void offer(Host& host, unsigned peer, const std::vector<Window>& windows,
           const std::function<void()>& meanwhile) {
    operate(host, peer, switchtec::kOpLock, switchtec::kLocked, meanwhile);
    for (const Window& window : windows) {
        const std::uint32_t ctl = offset_of(Reg::NtbBarCtl, peer, window.bar);
        if (window.bar == 2) {
            const std::uint64_t entries = window.size / switchtec::kLutBytes;
            host.write(ctl,
                       switchtec::kBarLut | switchtec::kLutLog2 << switchtec::kBarLutSizeShift |
                           (64 - 1) << switchtec::kBarLutCountShift,
                       4);
            for (unsigned i = 0; i < entries; ++i) {
                const std::uint64_t address = window.address + i * switchtec::kLutBytes;
                host.write(offset_of(Reg::NtbLutEntry, peer, i),
                           address | host.partition() << 1 | switchtec::kLutValid, 8);
            }
        } else {
            const auto position = static_cast<std::uint64_t>(std::bit_width(window.size) - 1);
            host.write(offset_of(Reg::NtbBarWindowSize, peer, window.bar),
                       (window.size & 0xFFFFF000) | position, 4);
            host.write(offset_of(Reg::NtbBarWindowSizeExt, peer, window.bar), window.size >> 32, 4);
            host.write(offset_of(Reg::NtbBarTranslation, peer, window.bar), window.address | host.partition(),
                       8);
            host.write(ctl, switchtec::kBarDirect, 4);
        }
    }
    operate(host, peer, switchtec::kOpConfigure, switchtec::kNormal, meanwhile);
}

}  // namespace fabric::test
