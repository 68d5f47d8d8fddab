// SPDX-License-Identifier: MIT
#include "channel.h"

#include <algorithm>
#include <limits>

namespace switchtec::dma {
namespace {

void add_saturating(std::uint64_t& to, std::uint64_t n) {
    to = n > std::numeric_limits<std::uint64_t>::max() - to ? std::numeric_limits<std::uint64_t>::max()
                                                            : to + n;
}

std::uint32_t saturated(std::uint64_t value) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

bool wraps(std::uint64_t address, std::uint32_t count) {
    return address + count - 1 < address;
}

bool ring_sensible(std::uint64_t base, unsigned size, unsigned current) {
    return base % sizeof(SubmissionEntry) == 0 && size >= 2 && size <= kMaxRing && current < size;
}

void advance(std::uint16_t& current, std::uint16_t& phase, unsigned size) {
    if (++current >= size) {
        current = 0;
        phase ^= 1;
    }
}

}  // namespace

bool Channel::rings_sensible() const {
    return ring_sensible(s.sq_base, s.sq_size, s.sq_current) &&
           ring_sensible(s.cq_base, s.cq_size, s.cq_current);
}

bool Channel::completions_full() const {
    return (s.cq_current + 1U) % s.cq_size == s.cq_head % s.cq_size;
}

unsigned Channel::pending() const {
    if (s.sq_size == 0 || s.sq_tail >= s.sq_size || s.sq_current >= s.sq_size) return 0;
    return (s.sq_tail + s.sq_size - s.sq_current) % s.sq_size;
}

unsigned Channel::unfetched() const {
    const unsigned in_hand = s.step == Step::Move || s.step == Step::Complete ? 1 : 0;
    return pending() - std::min(pending(), waiting() + in_hand);
}

bool Channel::runnable() const {
    if (!enabled() || (s.control & (kHalt | kReset)) != 0) return false;
    if (s.step == Step::Interrupt || s.status_interrupt != 0) return true;
    if (s.reasons != 0) return false;
    switch (s.step) {
        case Step::None:
            return (s.control & kPause) == 0 && s.sq_tail != s.sq_current;
        case Step::Complete:
            return !rings_sensible() || !completions_full();
        default:
            return true;
    }
}

Task Channel::next() {
    if (!runnable()) return {};
    if (s.step == Step::Interrupt) return {.kind = Task::Kind::Interrupt};
    if (s.status_interrupt != 0) return {.kind = Task::Kind::StatusInterrupt};
    // Registers may have changed since the last step.
    if (!rings_sensible() || (s.step == Step::None && s.sq_tail >= s.sq_size)) {
        pause(kReasonFetch);
        return {.kind = Task::Kind::StatusInterrupt};
    }
    if (s.step == Step::None) {
        if (waiting() == 0) return fetch();
        begin(fetched.at(fetched_begin_++));
    }
    return s.step == Step::Move ? move() : runnable() ? complete() : Task{};
}

Task Channel::fetch() {
    const unsigned end = s.sq_tail > s.sq_current ? s.sq_tail : s.sq_size;
    const unsigned count = std::min({end - s.sq_current, buffer_count(s), kMaxFetch});
    step_began_ = now(kLatencyFetch);
    return {.kind = Task::Kind::Fetch,
            .source = s.sq_base + std::uint64_t{s.sq_current} * sizeof(SubmissionEntry),
            .size = static_cast<std::uint32_t>(count * sizeof(SubmissionEntry))};
}

// Takes a descriptor in hand, and looks whether it makes sense.
void Channel::begin(const SubmissionEntry& entry) {
    s.entry = entry;
    s.done = s.status = s.pause_after = 0;
    s.immediate = 0;
    s.step = Step::Move;
    descriptor_began_ = now(kLatencyDescriptor);
    std::uint32_t most = kMaxImmediate;
    bool reads = false;
    bool writes = false;
    switch (static_cast<Opcode>(entry.opcode)) {
        case Opcode::Copy:
            most = kMaxCount;
            reads = writes = true;
            break;
        case Opcode::ReadImmediate:
            reads = true;
            break;
        case Opcode::WriteImmediate:
            writes = true;
            break;
        case Opcode::Nop:
            return finish(0);
        default:
            return finish(kInvalidCommand, kReasonOpcode);
    }
    if ((entry.control & kFabricMode) != 0) return finish(kBadConnection);
    if (entry.count == 0 || entry.count > most) return finish(kLengthError);
    if (reads && wraps(entry.source(), entry.count))
        return finish(writes ? kUnsupportedRequest : kReadImmediateUnsupported);
    if (writes && wraps(entry.destination(), entry.count)) finish(kCompleterAbort);
}

void Channel::finish(std::uint32_t status, std::uint32_t pause_after) {
    s.status = status;
    s.pause_after = pause_after;
    s.step = Step::Complete;
}

Task Channel::move() {
    Task task{.source = s.entry.source() + s.done,
              .destination = s.entry.destination() + s.done,
              .size = std::min<std::uint32_t>(s.entry.count - s.done, NTB_DMA_CHUNK)};
    switch (static_cast<Opcode>(s.entry.opcode)) {
        case Opcode::ReadImmediate:
            task.kind = Task::Kind::ReadImmediate;
            step_began_ = now(kLatencyReadImmediate);
            break;
        case Opcode::WriteImmediate:
            task.kind = Task::Kind::WriteImmediate;
            task.immediate = s.entry.source();
            break;
        default:
            task.kind = Task::Kind::Copy;
            break;
    }
    return task;
}

Task Channel::complete() {
    Task task{.kind = Task::Kind::Complete,
              .destination = s.cq_base + std::uint64_t{s.cq_current} * sizeof(CompletionEntry)};
    task.completion.immediate_low = static_cast<std::uint32_t>(s.immediate);
    task.completion.immediate_high = static_cast<std::uint32_t>(s.immediate >> 32);
    task.completion.count = s.done;
    task.completion.sq_head = static_cast<std::uint16_t>((s.sq_current + 1U) % s.sq_size);
    task.completion.status = s.status;
    task.completion.id = s.entry.id;
    task.completion.phase = s.cq_phase;
    task.descriptor = {.channel = 0,
                       .opcode = s.entry.opcode,
                       .control = s.entry.control,
                       .id = s.entry.id,
                       .count = s.entry.count,
                       .source = s.entry.source(),
                       .destination = s.entry.destination(),
                       .completed = s.done,
                       .status = s.status};
    return task;
}

void Channel::apply(const Task& task, const Outcome& outcome, bool cancelled) {
    const bool failed = outcome.status != NTB_DMA_OK;
    if (failed && cancelled) {
        ++s.cancelled;
        return;
    }
    switch (task.kind) {
        case Task::Kind::None:
            return;
        case Task::Kind::Fetch:
            measured(kLatencyFetch, step_began_);
            if (failed) return pause(kReasonFetch);
            fetched_begin_ = 0;
            fetched_end_ = task.size / sizeof(SubmissionEntry);
            return;
        case Task::Kind::Copy:
        case Task::Kind::ReadImmediate:
        case Task::Kind::WriteImmediate:
            return apply_move(task, outcome);
        case Task::Kind::Complete:
            if (!failed) return apply_complete();
            ++s.completion_failures;
            return pause(kReasonCompletion);
        case Task::Kind::Interrupt:
            ++s.interrupts;
            s.step = Step::None;
            return;
        case Task::Kind::StatusInterrupt:
            s.status_interrupt = 0;
            return;
    }
}

void Channel::apply_move(const Task& task, const Outcome& outcome) {
    const bool reading = task.kind == Task::Kind::ReadImmediate;
    if (reading) measured(kLatencyReadImmediate, step_began_);
    switch (outcome.status) {
        case NTB_DMA_OK:
            break;
        case NTB_DMA_SOURCE_FAILED:
            return finish(reading ? kReadImmediateUnsupported : kUnsupportedRequest);
        case NTB_DMA_DESTINATION_FAILED:
            return finish(kCompleterAbort);
        default:  // Given up though nobody has asked for it: there is no other way to call it.
            return finish(kReadTimeout);
    }
    if (reading) s.immediate = outcome.immediate;
    s.done += task.size;
    s.bytes += task.size;
    add_saturating(s.perf_bytes, task.size);
    if (s.done >= s.entry.count) finish(0);
}

void Channel::apply_complete() {
    measured(kLatencyDescriptor, descriptor_began_);
    ++s.descriptors;
    add_saturating(s.perf_descriptors, 1);
    if (s.status != 0) {
        ++s.errors;
        s.last_error = s.status;
    }
    // What the rings are may have changed meanwhile.
    advance(s.sq_current, s.sq_phase, s.sq_size);
    advance(s.cq_current, s.cq_phase, s.cq_size);
    s.step = (s.entry.control & kInterrupt) != 0 ? Step::Interrupt : Step::None;
    if (s.pause_after != 0) pause(s.pause_after);
}

void Channel::pause(std::uint32_t reason) {
    s.reasons |= reason;
    s.status_interrupt = 1;
    ++s.pauses;
}

void Channel::measured(std::uint32_t kind, std::uint64_t since) {
    if (since == 0 || (s.latency_selector & kind) == 0) return;
    s.latency_last = saturated(std::max<std::uint64_t>(clock_() - since, 1));
    s.latency_max = std::max(s.latency_max, s.latency_last);
    s.latency_min = s.latency_min == 0 ? s.latency_last : std::min(s.latency_min, s.latency_last);
}

void Channel::update_idle() {
    const bool idle = enabled() && s.step == Step::None && s.sq_tail == s.sq_current;
    if (idle && idle_since_ == 0) idle_since_ = clock_();
    if (idle_since_ == 0) return;
    const std::uint64_t until = clock_();
    s.idle_ns = saturated(s.idle_ns + (until - idle_since_));
    idle_since_ = idle ? until : 0;
}

void Channel::reset() {
    ChannelState fresh{};
    fresh.sq_base = s.sq_base;
    fresh.cq_base = s.cq_base;
    fresh.sq_size = s.sq_size;
    fresh.cq_size = s.cq_size;
    fresh.enable = s.enable;
    fresh.perf_config = s.perf_config;
    fresh.latency_selector = s.latency_selector;
    fresh.descriptors = s.descriptors;
    fresh.errors = s.errors;
    fresh.bytes = s.bytes;
    fresh.interrupts = s.interrupts;
    fresh.pauses = s.pauses;
    fresh.cancelled = s.cancelled;
    fresh.completion_failures = s.completion_failures;
    fresh.last_error = s.last_error;
    fresh.sq_phase = fresh.cq_phase = 1;
    s = fresh;
    forget_fetched();
    step_began_ = descriptor_began_ = idle_since_ = 0;
}

}  // namespace switchtec::dma
