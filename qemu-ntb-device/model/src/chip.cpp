// SPDX-License-Identifier: MIT
#include "switchtec/chip.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "config.h"
#include "dbmsg.h"
#include "gas.h"
#include "host.h"
#include "identity.h"
#include "interrupts.h"
#include "log.h"
#include "mrpc.h"
#include "snapshot.h"
#include "state.h"
#include "traffic.h"
#include "windows.h"

namespace switchtec {
namespace {

using ntblab::fail;
using ntblab::Result;

Result<State*> state_in(std::span<std::byte> memory) {
    void* start = memory.data();
    std::size_t room = memory.size();
    if (memory.size() < sizeof(State)) {
        return fail(
            fmt::format("memory for a switch: {} bytes, {} are needed", memory.size(), sizeof(State)));
    }
    if (!std::align(alignof(State), sizeof(State), start, room) || start != memory.data()) {
        return fail(fmt::format("memory for a switch is at {}; align it to {} bytes",
                                static_cast<void*>(memory.data()), alignof(State)));
    }
    return reinterpret_cast<State*>(memory.data());
}

}  // namespace

std::uint64_t host_clock() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

std::uint32_t class_code(Function function) {
    switch (function) {
        case Function::None:
            return 0;
        case Function::Nt:
            return 0x068000;
        case Function::Management:
            return 0x058000;
    }
    return 0;
}

std::size_t Chip::state_size() {
    return sizeof(State);
}
std::size_t Chip::state_alignment() {
    return alignof(State);
}

Result<Chip> Chip::create(std::span<std::byte> memory, const ChipConfig& config, Clock clock) {
    if (auto result = check(config); !result) return tl::unexpected(result.error());
    const auto state = state_in(memory);
    if (!state) return tl::unexpected(state.error());
    State& s = **state;
    std::uninitialized_value_construct_n(&s, 1);
    ordered();
    s.layout_version = kLayoutVersion;
    s.layout_size = sizeof(State);
    s.vendor_id = config.vendor_id;
    s.device_id = config.device_id;
    s.partition_count = static_cast<std::uint32_t>(config.partitions.size());
    s.epoch_ns = clock();
    s.events[kGlobalEventGfms] = kEventNotSupported;
    for (unsigned p = 0; p < s.partition_count; ++p) {
        Partition& partition = s.partition[p];
        partition.port.latency_from = kAllPorts;
        partition.configs[0] = config.partitions[p];
        partition.control.state = kNormal;
        partition.control.owner = kNobody;
        dbmsg::power_on(s, p);
    }
    log::add(s, log::Event::PowerOn, {s.partition_count});
    ordered();
    s.magic = kMagic;
    return Chip(s, std::move(clock));
}

Result<Chip> Chip::open(std::span<std::byte> memory, Clock clock) {
    const auto state = state_in(memory);
    if (!state) return tl::unexpected(state.error());
    State& s = **state;
    if (s.magic != kMagic)
        return fail("the shared memory holds no switch: open what ntb-fabric of this cluster handed out");
    if (s.layout_version != kLayoutVersion || s.layout_size != sizeof(State)) {
        return fail(
            fmt::format("the switch in shared memory has layout version {} of {} bytes, this build knows "
                        "version {} of {}: use "
                        "ntb-fabric and libntb-endpoint of one build",
                        s.layout_version, s.layout_size, kLayoutVersion, sizeof(State)));
    }
    return Chip(s, std::move(clock));
}

unsigned Chip::partitions() const {
    return state_->partition_count;
}
std::uint16_t Chip::vendor_id() const {
    return state_->vendor_id;
}
std::uint16_t Chip::device_id() const {
    return state_->device_id;
}
unsigned Chip::generation() const {
    return identity(*state_).generation;
}

void Chip::tick() {
    const std::uint64_t now = clock_();
    if (now - state_->epoch_ns > state_->now_ns && now > state_->epoch_ns)
        state_->now_ns = now - state_->epoch_ns;
}

Partition& Chip::at(unsigned partition) const {
    if (partition >= state_->partition_count) {
        throw std::out_of_range(
            fmt::format("partition {} of a switch that has {}", partition, state_->partition_count));
    }
    return state_->partition[partition];
}

const PartitionConfig& Chip::config(unsigned partition) const {
    return at(partition).config();
}

std::uint64_t Chip::read(unsigned partition, std::uint32_t offset, unsigned size) const {
    at(partition);
    return gas::read(*state_, partition, offset, size);
}

void Chip::write(unsigned partition, std::uint32_t offset, std::uint64_t value, unsigned size) {
    if (!attached(partition)) return;
    tick();
    gas::write(*state_, partition, offset, value, size);
}

Result<void> Chip::configure(unsigned partition, const PartitionConfig& config) {
    if (attached(partition)) {
        return fail(fmt::format("partition {} cannot be configured while a host is attached: detach it first",
                                partition));
    }
    if (auto result = check(config, partition, partitions()); !result) return result;
    host::configure(*state_, partition, config);
    return {};
}

void Chip::attach(unsigned partition) {
    at(partition);
    tick();
    host::attach(*state_, partition);
}

void Chip::detach(unsigned partition) {
    at(partition);
    tick();
    host::detach(*state_, partition);
}

bool Chip::attached(unsigned partition) const {
    return at(partition).host.attached != 0;
}

void Chip::reset(unsigned partition) {
    at(partition);
    tick();
    host::reset(*state_, partition);
}

Result<std::vector<std::byte>> Chip::save(unsigned partition) {
    at(partition);
    return snapshot::save(*state_, partition);
}

Result<void> Chip::load(unsigned partition, std::span<const std::byte> snapshot) {
    if (!attached(partition))
        return fail(fmt::format("partition {} has no host attached that could go on", partition));
    tick();
    return snapshot::load(*state_, partition, snapshot);
}

void Chip::resumed(unsigned partition) {
    at(partition);
    tick();
    host::resumed(*state_, partition);
}

Result<bool> Chip::load_windows(unsigned partition, std::span<const std::byte> snapshot) {
    if (!attached(partition))
        return fail(fmt::format("partition {} has no host attached that could go on", partition));
    tick();
    return snapshot::load_windows(*state_, partition, snapshot);
}

void Chip::set_bus_master(unsigned partition, bool enabled) {
    at(partition);
    host::set_bus_master(*state_, partition, enabled);
}

bool Chip::bus_master(unsigned partition) const {
    return at(partition).host.bus_master != 0;
}

void Chip::set_requester_id(unsigned partition, std::uint16_t requester_id) {
    at(partition);
    host::set_requester_id(*state_, partition, requester_id);
}

std::optional<unsigned> Chip::take_interrupt(unsigned partition) {
    at(partition);
    return interrupts::take(*state_, partition);
}

std::optional<MrpcDma> Chip::take_mrpc_dma(unsigned partition) {
    at(partition);
    return mrpc::take_dma(*state_, partition);
}

void Chip::mrpc_dma_done(unsigned partition, std::uint64_t number) {
    at(partition);
    mrpc::dma_done(*state_, partition, number);
}

void Chip::count_access(unsigned partition, bool write, unsigned size) {
    at(partition);
    if (write) {
        traffic::count(*state_, partition, true, Tlp::Posted, 1, size);
    } else {
        traffic::count(*state_, partition, true, Tlp::NonPosted, 1, 0);
        traffic::count(*state_, partition, false, Tlp::Completion, 1, size);
    }
}

void Chip::count_unsupported(unsigned partition, bool write, unsigned size) {
    at(partition);
    traffic::count(*state_, partition, true, write ? Tlp::Posted : Tlp::NonPosted, 1, write ? size : 0);
    if (!write) traffic::count(*state_, partition, false, Tlp::Completion, 1, 0);
    traffic::count_unsupported(*state_, partition);
}

void Chip::forwarded(const Forwarded& what) {
    at(what.from);
    at(what.to);
    traffic::count(*state_, what.from, true, what.tlp, what.tlps, what.payload);
    traffic::count(*state_, what.to, false, what.tlp, what.tlps, what.payload);
    if (what.latency_ns != 0) traffic::measured(*state_, what.from, what.to, what.latency_ns);
}

Passed Chip::passed(unsigned partition, bool from_host, Tlp tlp) const {
    const Port& port = at(partition).port;
    const Direction& direction = from_host ? port.ingress : port.egress;
    const auto which = static_cast<unsigned>(tlp);
    return {direction.tlps[which], direction.payload[which]};
}

unsigned Chip::message_gaps(unsigned partition) const {
    at(partition);
    return dbmsg::gaps(*state_, partition);
}

void Chip::end_message_gaps(unsigned partition) {
    at(partition);
    dbmsg::end_gaps(*state_, partition);
}

std::vector<WindowSpan> Chip::windows(unsigned partition) const {
    at(partition);
    return windows::spans(*state_, partition);
}

std::optional<Translation> Chip::translate(unsigned partition, unsigned bar, std::uint64_t offset,
                                           std::uint16_t requester_id) const {
    at(partition);
    return windows::translate(*state_, partition, bar, offset, requester_id);
}

unsigned Chip::proxy(unsigned partition, std::uint16_t requester_id) const {
    at(partition);
    return windows::proxy_of(*state_, partition, requester_id);
}

bool Chip::admit(unsigned partition, std::uint16_t requester_id) {
    at(partition);
    if (windows::requester_allowed(*state_, partition, requester_id)) return true;
    tick();
    host::refuse(*state_, partition, requester_id);
    return false;
}

Refused Chip::refused(unsigned partition) const {
    const Host& host = at(partition).host;
    return {host.refused, host.refused_id};
}

std::uint64_t Chip::window_generation(unsigned partition) const {
    return at(partition).host.window_generation;
}

void Chip::windows_applied(unsigned partition, std::uint64_t generation) {
    at(partition);
    host::windows_applied(*state_, partition, generation);
}

bool Chip::windows_settled(unsigned partition) const {
    at(partition);
    return windows::settled(*state_, partition);
}

std::optional<unsigned> Chip::lock_owner(unsigned block) const {
    const ControlBlock& b = at(block).control;
    if (b.state == kNormal) return std::nullopt;
    return b.owner;
}

std::uint64_t Chip::take_wakeups() {
    return std::exchange(state_->wakeups, 0);
}

void Chip::repair() {
    host::repair(*state_);
}

}  // namespace switchtec
