// SPDX-License-Identifier: MIT
#include "host.h"

#include <algorithm>

#include "control.h"
#include "dbmsg.h"
#include "events.h"
#include "interrupts.h"
#include "log.h"
#include "windows.h"

namespace switchtec::host {
namespace {

void log_change(State& s, unsigned partition, HostRedo what) {
    const PartitionConfig& config = s.partition[partition].config();
    switch (what) {
        case HostRedo::None:
            break;
        case HostRedo::Attach:
            log::add(s, log::Event::Attached, {partition});
            log::add(s, log::Event::LinkUp, {partition, config.link_generation, config.link_width});
            break;
        case HostRedo::Detach:
            log::add(s, log::Event::LinkDown, {partition});
            log::add(s, log::Event::Detached, {partition});
            break;
        case HostRedo::Reset:
            log::add(s, log::Event::Reset, {partition});
            break;
    }
}

// Its registers as after power-on, and nothing left anywhere that leads to its memory.
void power_on(State& s, unsigned partition) {
    Partition& p = s.partition[partition];
    p.host.bus_master = 0;
    p.host.refused = 0;
    interrupts::clear(s, partition);
    control::release_all(s, partition);
    control::power_on(s, partition);
    windows::disable_target(s, partition);
    dbmsg::power_on(s, partition);
    p.mrpc = Mrpc{};
    p.events[kPartEventMrpcComp] = 0;
}

void change(State& s, unsigned partition, HostRedo what) {
    Partition& p = s.partition[partition];
    p.host.redo = what;
    ordered();
    windows::tracked(s, [&] {
        if (what != HostRedo::Attach) power_on(s, partition);
        ordered();
        p.host.attached = what != HostRedo::Detach;
        p.host.life = s.epoch_ns + ++s.order;
        if (what == HostRedo::Detach) set_requester_id(s, partition, 0);
    });
    // A CONFIGURE of its block that waited for it waits no longer when it is gone.
    control::settle(s, partition);
    if (what == HostRedo::Reset) events::raise_partition(s, partition, kPartEventReset);
    events::raise_port(s, partition, kPffEventLinkState);
    log_change(s, partition, what);
    ordered();
    p.host.redo = HostRedo::None;
}

}  // namespace

void configure(State& s, unsigned partition, const PartitionConfig& config) {
    Partition& p = s.partition[partition];
    if (config == p.config()) return;
    control::power_on(s, partition);
    const std::uint32_t next = 1 - p.config_in_use;
    p.configs[next] = config;
    ordered();
    p.config_in_use = next;
}

void attach(State& s, unsigned partition) {
    if (!attached(s, partition)) change(s, partition, HostRedo::Attach);
}

void detach(State& s, unsigned partition) {
    if (attached(s, partition)) change(s, partition, HostRedo::Detach);
}

void reset(State& s, unsigned partition) {
    if (attached(s, partition)) change(s, partition, HostRedo::Reset);
}

void set_bus_master(State& s, unsigned partition, bool enabled) {
    Host& host = s.partition[partition].host;
    if (!host.attached || (host.bus_master != 0) == enabled) return;
    windows::tracked(s, [&] { host.bus_master = enabled; });
    if (enabled) {
        dbmsg::raise_pending(s, partition);
    } else {
        interrupts::clear(s, partition);
    }
}

void set_requester_id(State& s, unsigned partition, std::uint16_t requester_id) {
    Host& host = s.partition[partition].host;
    if (host.requester_id == requester_id) return;
    host.requester_id = requester_id;
    ordered();
    control::list_dma(s, partition);
}

void refuse(State& s, unsigned partition, std::uint16_t requester_id) {
    Host& host = s.partition[partition].host;
    if (host.refused == 0 || host.refused_id != requester_id)
        log::add(s, log::Event::RequesterRefused, {partition, requester_id});
    ++host.refused;
    host.refused_id = requester_id;
}

void resumed(State& s, unsigned partition) {
    events::raise_port(s, partition, kPffEventLinkState);
    dbmsg::raise_pending(s, partition);
}

void windows_applied(State& s, unsigned partition, std::uint64_t generation) {
    Host& host = s.partition[partition].host;
    host.applied_generation = std::max(host.applied_generation, std::min(generation, host.window_generation));
    control::settle(s, partition);
}

void repair(State& s) {
    for (unsigned p = 0; p < s.partition_count; ++p) {
        if (s.partition[p].host.redo != HostRedo::None) change(s, p, s.partition[p].host.redo);
    }
    for (unsigned p = 0; p < s.partition_count; ++p) {
        control::repair(s, p);
        dbmsg::repair(s, p);
    }
    for (unsigned p = 0; p < s.partition_count; ++p) {
        if (!attached(s, p)) continue;
        windows::advance(s, p);
        dbmsg::raise_pending(s, p);
    }
    events::raise_all(s);
}

}  // namespace switchtec::host
