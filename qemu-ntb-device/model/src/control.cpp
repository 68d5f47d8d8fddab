// SPDX-License-Identifier: MIT
#include "control.h"

#include <algorithm>

#include "log.h"
#include "windows.h"

namespace switchtec::control {
namespace {

constexpr unsigned kFirstProxy = 8;  // 01.0

ControlBlock& block_of(State& s, unsigned block) {
    return s.partition[block].control;
}

void redo(State& s, unsigned block, BlockRedo what) {
    ControlBlock& b = block_of(s, block);
    b.redo = what;
    ordered();
    switch (what) {
        case BlockRedo::None:
            break;
        case BlockRedo::Commit:
            b.active = b.staged;
            break;
        case BlockRedo::Discard:
            b.staged = b.active;
            break;
        case BlockRedo::ClearWindows:  // What identifies the requesters is the block's own host's, and stays.
            for (unsigned bar = 0; bar < kBars; ++bar) {
                b.active.bar_ctl[bar] = b.active.bar_size[bar] = b.active.bar_size_ext[bar] = 0;
                b.active.bar_translation[bar] = 0;
            }
            std::ranges::fill(b.active.lut, 0);
            b.staged = b.active;
            break;
        case BlockRedo::PowerOn:
            b.active = power_on_setup(s.partition[block]);
            b.staged = b.active;
            b.bar_error = b.lut_error = b.requester_error = 0;
            break;
    }
    ordered();
    b.redo = BlockRedo::None;
}

// In the last entry, where no driver writes its own (Linux 6.12 writes the first two), unless one did.
void list_dma_in(const Partition& p, NtbSetup& setup) {
    const PartitionConfig& config = p.config();
    if (config.dma_devfn == 0) return;
    std::uint32_t& entry = setup.requester[config.requester_ids - 1];
    if (entry != 0 && (entry >> 16 & 0xFF) != config.dma_devfn) return;
    const std::uint32_t bus = p.host.requester_id & 0xFF00;
    entry = bus == 0 ? 0 : (bus | config.dma_devfn) << 16 | kRequesterValid;
}

void grant(State& s, unsigned block, unsigned requester) {
    ControlBlock& b = block_of(s, block);
    b.finished &= ~bit(requester);
    b.owner = static_cast<std::uint8_t>(requester);
    ordered();
    b.state = kLocked;
    ordered();
    b.ticket[requester] = 0;
    log::add(s, log::Event::Locked, {block, requester});
}

void grant_next(State& s, unsigned block) {
    const ControlBlock& b = block_of(s, block);
    unsigned first = kNobody;
    for (unsigned p = 0; p < kMaxPartitions; ++p) {
        if (b.ticket[p] != 0 && (first == kNobody || b.ticket[p] < b.ticket[first])) first = p;
    }
    if (first != kNobody) grant(s, block, first);
}

void unlock(State& s, unsigned block) {
    ControlBlock& b = block_of(s, block);
    b.state = kNormal;
    ordered();
    b.owner = kNobody;
    ordered();
    grant_next(s, block);
}

// CONFIGURING or RESETTING lasts until the block's own host no longer sees the old windows.
void begin_settling(State& s, unsigned block, std::uint8_t state) {
    ControlBlock& b = block_of(s, block);
    b.settle_generation = s.partition[block].host.window_generation;
    ordered();
    b.state = state;
    settle(s, block);
}

void lock(State& s, unsigned block, unsigned requester) {
    ControlBlock& b = block_of(s, block);
    if (b.state == kNormal) {
        grant(s, block, requester);
    } else if (!(b.state == kLocked && b.owner == requester) && b.ticket[requester] == 0) {
        b.finished &= ~bit(requester);
        b.ticket[requester] = ++s.order;
        log::add(s, log::Event::LockWaits, {block, requester});
    }
}

void configure(State& s, unsigned block, unsigned requester) {
    ControlBlock& b = block_of(s, block);
    if (!holds_lock(s, block, requester)) return;
    const SetupErrors errors = validate(s, block);
    b.bar_error = errors.bar;
    b.lut_error = errors.lut;
    b.requester_error = errors.requester;
    if (!errors.none()) {  // Stays LOCKED: the driver takes any state but NORMAL for a failure.
        log::add(s, log::Event::ConfigureError, {block, requester, errors.bar, errors.lut, errors.requester});
        return;
    }
    log::add(s, log::Event::Configured, {block, requester});
    windows::tracked(s, [&] { redo(s, block, BlockRedo::Commit); });
    begin_settling(s, block, kConfiguring);
}

// Our choice: whoever does not hold the lock of a locked block only takes its own request back. The driver
// writes RESET when its sleep is interrupted, also while it waits for a lock, and must not destroy what the
// owner sets up.
void reset(State& s, unsigned block, unsigned requester) {
    ControlBlock& b = block_of(s, block);
    b.ticket[requester] = 0;
    if (b.state != kNormal && b.owner != requester) {
        b.finished |= bit(requester);
        return;
    }
    log::add(s, log::Event::BlockReset, {block, requester});
    b.owner = static_cast<std::uint8_t>(requester);
    b.bar_error = b.lut_error = b.requester_error = 0;
    windows::tracked(s, [&] { redo(s, block, BlockRedo::ClearWindows); });
    begin_settling(s, block, kResetting);
}

}  // namespace

std::uint32_t status(const State& s, unsigned block, unsigned reader) {
    const ControlBlock& b = s.partition[block].control;
    std::uint32_t state = b.state;
    if (b.ticket[reader] != 0) {
        state = kLocking;
    } else if (b.owner != reader && (b.finished & bit(reader))) {
        state = kNormal;
    }
    const std::uint32_t owner = b.state == kNormal ? 0 : b.owner;
    return state | owner << 16 | block << 24;
}

void operate(State& s, unsigned block, unsigned requester, std::uint32_t op) {
    switch (op) {
        case kOpLock:
            return lock(s, block, requester);
        case kOpConfigure:
            return configure(s, block, requester);
        case kOpReset:
            return reset(s, block, requester);
        default:
            return;  // Our choice: an unknown operation does nothing.
    }
}

bool holds_lock(const State& s, unsigned block, unsigned writer) {
    const ControlBlock& b = s.partition[block].control;
    return b.state == kLocked && b.owner == writer;
}

void settle(State& s, unsigned block) {
    ControlBlock& b = block_of(s, block);
    if (b.state != kConfiguring && b.state != kResetting) return;
    const Host& host = s.partition[block].host;
    if (host.attached && host.applied_generation < b.settle_generation) return;
    b.finished |= bit(b.owner);
    ordered();
    unlock(s, block);
}

void release_all(State& s, unsigned partition) {
    for (unsigned block = 0; block < s.partition_count; ++block) {
        ControlBlock& b = block_of(s, block);
        b.ticket[partition] = 0;
        b.finished &= ~bit(partition);
        if (!holds_lock(s, block, partition)) continue;
        discard(s, block);
        unlock(s, block);
    }
}

void commit(State& s, unsigned block) {
    redo(s, block, BlockRedo::Commit);
}

void discard(State& s, unsigned block) {
    redo(s, block, BlockRedo::Discard);
}

void power_on(State& s, unsigned block) {
    redo(s, block, BlockRedo::PowerOn);
}

NtbSetup power_on_setup(const Partition& block) {
    NtbSetup setup{};
    list_dma_in(block, setup);
    return setup;
}

void list_dma(State& s, unsigned block) {
    Partition& p = s.partition[block];
    list_dma_in(p, p.control.active);
    ordered();
    list_dma_in(p, p.control.staged);
}

void repair(State& s, unsigned block) {
    ControlBlock& b = block_of(s, block);
    list_dma(s, block);
    if (b.redo != BlockRedo::None) {
        const BlockRedo what = b.redo;
        windows::tracked(s, [&] { redo(s, block, what); });
    }
    switch (b.state) {
        case kNormal:
            unlock(s, block);
            break;
        case kLocked:
            b.ticket[b.owner] = 0;
            break;
        default:
            settle(s, block);
    }
}

unsigned proxy(unsigned entry) {
    return entry <= 0xFF - kFirstProxy ? kFirstProxy + entry : 0;
}

}  // namespace switchtec::control
