// SPDX-License-Identifier: MIT
// What ntb_hw_switchtec does with the registers, in short.
#pragma once

#include <vector>

#include "host.h"

namespace fabric::test {

inline constexpr unsigned kEventVector = 0;
inline constexpr unsigned kDoorbellVector = 1;
inline constexpr unsigned kMessageVector = 2;

/// Vectors and masks as the driver sets them; outbound message 0 goes to inbound 0 of `peer`, message 1 to
/// inbound 1.
void set_up_interrupts(const Host& host, unsigned peer);
void ring(const Host& host, unsigned bit);
void send(const Host& host, unsigned index, std::uint32_t message);
/// The inbound message, with its status cleared.
std::uint32_t take_message(const Host& host, unsigned index);
/// Pending inbound doorbells, cleared.
std::uint64_t take_doorbells(const Host& host);
/// Count field of the link-state event of the upstream port of `partition`, as `host` reads it.
unsigned link_events(const Host& host, unsigned partition);
/// Arms the link-state events of all ports, as switchtec.ko does.
void arm_link_events(const Host& host);

struct Window {
    unsigned bar;           ///< 2: LUT entry 0 onward; 4: direct.
    std::uint64_t address;  ///< In the own RAM.
    std::uint64_t size;     ///< BAR 2: 64 KiB for each LUT entry.
};

/// Puts the root complex (requester ID 0) into the host's own table, without which no access of its CPUs
/// crosses a window. `meanwhile` is called while waiting; throws when the block does not get to where it
/// should within the limit.
void admit_cpu(Host& host, const std::function<void()>& meanwhile = {});

/// Gives the host of `peer` windows onto this host's RAM: lock, set up, configure the peer's control block.
/// Otherwise as admit_cpu.
void offer(Host& host, unsigned peer, const std::vector<Window>& windows,
           const std::function<void()>& meanwhile = {});

}  // namespace fabric::test
