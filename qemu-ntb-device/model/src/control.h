// SPDX-License-Identifier: MIT
// NTB control blocks: the lock and its queue, staged and active registers, CONFIGURE and RESET.
#pragma once

#include "state.h"

namespace switchtec::control {

/// partition_status of `block` as `reader` sees it. Each partition sees its own requests: LOCKING while it
/// waits, LOCKED when it has the lock, NORMAL when its CONFIGURE or RESET has ended, even if the next one in
/// the queue holds the lock by then.
std::uint32_t status(const State& s, unsigned block, unsigned reader);
void operate(State& s, unsigned block, unsigned requester, std::uint32_t op);

/// Whether `writer` may write the staged registers of `block`.
bool holds_lock(const State& s, unsigned block, unsigned writer);

/// Ends CONFIGURING and RESETTING of `block` when its windows are in effect.
void settle(State& s, unsigned block);
/// `partition` holds no lock and waits for none any more; what it staged is dropped.
void release_all(State& s, unsigned partition);
/// What is staged in `block` becomes active, or is dropped. Windows change: windows::tracked.
void commit(State& s, unsigned block);
void discard(State& s, unsigned block);
/// Registers of `block` as after power-on. A lock that another partition holds on it stays.
void power_on(State& s, unsigned block);
/// What `power_on` makes of the registers of `block`.
NtbSetup power_on_setup(const Partition& block);
/// Its host gave the bus of its functions another number: the DMA function's entry follows.
void list_dma(State& s, unsigned block);
/// After a crash: completes what was begun.
void repair(State& s, unsigned block);

/// Proxy devfn of an entry of the requester-ID table; 0: none. There from power-on, as the receiving host's
/// kernel reads it before any driver runs (Linux 6.12 quirks.c, quirk_switchtec_ntb_dma_alias). Hardware
/// shows 01.0 and 01.1 for the first two.
unsigned proxy(unsigned entry);

struct SetupErrors {
    std::uint32_t bar = 0, lut = 0, requester = 0;
    bool none() const { return bar == 0 && lut == 0 && requester == 0; }
};
/// What is wrong with the staged registers of `block`: in each kind the first error.
SetupErrors validate(const State& s, unsigned block);

}  // namespace switchtec::control
