// SPDX-License-Identifier: MIT
// Accesses to BAR0.
#include <algorithm>
#include <limits>

#include "engine.h"

namespace switchtec::dma {
namespace {

constexpr std::uint32_t kResetAll = 1U << 0, kHaltAll = 1U << 1;

std::uint64_t ones(unsigned bytes) {
    return bytes >= 8 ? ~0ULL : (1ULL << (8 * bytes)) - 1;
}

bool of_a_channel(const Location& at) {
    return at.block->region == Region::ChannelHardware || at.block->region == Region::ChannelFirmware;
}

// Calls visit(location, byte in the register, byte in the access, bytes) for each register that the access
// touches.
template <typename Visit>
void for_each_part(std::uint32_t offset, unsigned size, Visit visit) {
    if (offset >= NTB_DMA_BAR_SIZE) return;
    size = std::min({size, 8U, NTB_DMA_BAR_SIZE - offset});
    for (unsigned done = 0; done < size;) {
        const auto at = locate(offset + done);
        if (!at) {
            ++done;
            continue;
        }
        const unsigned inside = offset + done - at->start;
        const unsigned bytes = std::min<unsigned>(at->reg->size - inside, size - done);
        visit(*at, inside, done, bytes);
        done += bytes;
    }
}

void set_low(std::uint64_t& of, std::uint64_t value) {
    of = (of & ~0xFFFFFFFFULL) | (value & 0xFFFFFFFF);
}

void set_high(std::uint64_t& of, std::uint64_t value) {
    of = (of & 0xFFFFFFFFULL) | value << 32;
}

}  // namespace

std::uint64_t Engine::read(std::uint32_t offset, unsigned size) {
    const Lock lock(mutex_);
    std::uint64_t result = 0;
    for_each_part(offset, size, [&](const Location& at, unsigned inside, unsigned done, unsigned bytes) {
        if (of_a_channel(at) && at.block_index >= channels()) return;
        result |= (read_register(at) >> (8 * inside) & ones(bytes)) << (8 * done);
        if (at.reg->access == Access::ClearedByRead) clear_after_read(at.block_index, at.reg->id);
    });
    return result;
}

void Engine::write(std::uint32_t offset, std::uint64_t value, unsigned size) {
    Lock lock(mutex_);
    for_each_part(offset, size, [&](const Location& at, unsigned inside, unsigned done, unsigned bytes) {
        if (at.reg->access != Access::ReadWrite || (of_a_channel(at) && at.block_index >= channels())) return;
        write_register(at, (value >> (8 * done)) << (8 * inside), ones(bytes) << (8 * inside));
    });
    unlock_and_call_off(lock);
}

std::uint64_t Engine::read_register(const Location& at) {
    switch (at.reg->id) {
        case Reg::FirmwareVersion:
            return config_.firmware_version;
        case Reg::ProtocolVersion:
            return config_.protocol_version;
        case Reg::HardwareVersion:
            return config_.hardware_version;
        case Reg::ChannelCount:
            return channels();
        case Reg::CompletionTimeout:
            return completion_timeout_;
        case Reg::TagLimit:
            return tag_limit_;
        case Reg::BufferCount:
            return std::uint64_t{std::min(16U, kMaxBuffers / channels())} * channels();
        case Reg::EngineState:
            return all_halted_ ? 1 : 0;
        case Reg::HaltSummary:
            return summary(kHalted);
        case Reg::PauseSummary:
            return summary(kPaused);
        case Reg::ResetHalt:
            return all_halted_ ? kHaltAll : 0;
        default:
            break;
    }
    if (!of_a_channel(at)) return 0;
    if (at.reg->id == Reg::IdleCycles) workers_[at.block_index]->update_idle();
    return read_channel(at.block_index, at.reg->id);
}

std::uint64_t Engine::read_channel(unsigned channel, Reg reg) const {
    const Worker& worker = *workers_[channel];
    const ChannelState& s = worker.s;
    switch (reg) {
        case Reg::CqHead:
            return s.cq_head;
        case Reg::SqTail:
            return s.sq_tail;
        case Reg::ChannelControl:
            return s.control;
        case Reg::ChannelStatus:
            return status(worker);
        case Reg::ValidEnable:
            return s.enable | (buffers_valid(channel) ? kValid : 0);
        case Reg::CqBaseLow:
            return s.cq_base & 0xFFFFFFFF;
        case Reg::CqBaseHigh:
            return s.cq_base >> 32;
        case Reg::CqSize:
            return s.cq_size;
        case Reg::SqBaseLow:
            return s.sq_base & 0xFFFFFFFF;
        case Reg::SqBaseHigh:
            return s.sq_base >> 32;
        case Reg::SqSize:
            return s.sq_size;
        case Reg::ChannelVector:
            return vector_of(channel);
        case Reg::PerfConfig:
            return s.perf_config;
        case Reg::LatencySelector:
            return s.latency_selector;
        case Reg::DescriptorCountLow:
            return s.perf_descriptors & 0xFFFFFFFF;
        case Reg::DescriptorCountHigh:
            return s.perf_descriptors >> 32;
        case Reg::ByteCountLow:
            return s.perf_bytes & 0xFFFFFFFF;
        case Reg::ByteCountHigh:
            return s.perf_bytes >> 32;
        case Reg::Pending:
            return worker.unfetched();
        case Reg::BuffersEmpty:
            return buffer_count(s) - std::min(buffer_count(s), worker.waiting());
        case Reg::IdleCycles:
            return s.idle_ns;
        case Reg::LatencyMax:
            return s.latency_max;
        case Reg::LatencyMin:
            return s.latency_min;
        case Reg::LatencyLast:
            return s.latency_last;
        case Reg::SqCurrent:
            return s.sq_current;
        case Reg::SqPhase:
            return s.sq_phase;
        case Reg::CqCurrent:
            return s.cq_current;
        case Reg::CqPhase:
            return s.cq_phase;
        default:
            return 0;
    }
}

void Engine::clear_after_read(unsigned channel, Reg reg) {
    ChannelState& s = workers_[channel]->s;
    switch (reg) {
        case Reg::DescriptorCountLow:
            return set_low(s.perf_descriptors, 0);
        case Reg::DescriptorCountHigh:
            return set_high(s.perf_descriptors, 0);
        case Reg::ByteCountLow:
            return set_low(s.perf_bytes, 0);
        case Reg::ByteCountHigh:
            return set_high(s.perf_bytes, 0);
        case Reg::IdleCycles:
            s.idle_ns = 0;
            return;
        case Reg::LatencyMax:
            s.latency_max = 0;
            return;
        case Reg::LatencyMin:
            s.latency_min = 0;
            return;
        default:
            return;
    }
}

void Engine::write_register(const Location& at, std::uint64_t value, std::uint64_t mask) {
    // The bytes of the register that are not written keep what they have.
    const std::uint64_t whole = (read_register(at) & ~mask) | (value & mask);
    switch (at.reg->id) {
        case Reg::CompletionTimeout:
            completion_timeout_ = static_cast<std::uint32_t>(whole);
            return;
        case Reg::TagLimit:
            tag_limit_ = static_cast<std::uint32_t>(whole);
            return;
        case Reg::ResetHalt:
            all_halted_ = (whole & kHaltAll) != 0;
            for (unsigned i = 0; i < channels(); ++i) {
                if ((whole & kResetAll) != 0) reset_channel(i);
                if (all_halted_) abort(i);
            }
            return kick_all();
        default:
            write_channel(at.block_index, at.reg->id, whole);
            workers_[at.block_index]->update_idle();
            return kick(at.block_index);
    }
}

void Engine::write_channel(unsigned channel, Reg reg, std::uint64_t value) {
    Worker& worker = *workers_[channel];
    ChannelState& s = worker.s;
    switch (reg) {
        case Reg::CqHead:
            s.cq_head = static_cast<std::uint16_t>(value);
            return;
        case Reg::SqTail:
            s.sq_tail = static_cast<std::uint16_t>(value);
            return;
        case Reg::ChannelControl:
            return write_control(channel, static_cast<std::uint8_t>(value & kControlBits));
        case Reg::ValidEnable:
            return write_enable(channel, static_cast<std::uint32_t>(value));
        case Reg::CqBaseLow:
            return set_low(s.cq_base, value);
        case Reg::CqBaseHigh:
            return set_high(s.cq_base, value);
        case Reg::CqSize:
            s.cq_size = static_cast<std::uint16_t>(value);
            return;
        case Reg::SqBaseLow:
            set_low(s.sq_base, value);
            return worker.forget_fetched();
        case Reg::SqBaseHigh:
            set_high(s.sq_base, value);
            return worker.forget_fetched();
        case Reg::SqSize:
            s.sq_size = static_cast<std::uint16_t>(value);
            return worker.forget_fetched();
        case Reg::PerfConfig:
            s.perf_config = static_cast<std::uint32_t>(value);
            return;
        case Reg::LatencySelector:
            s.latency_selector = static_cast<std::uint32_t>(value);
            return;
        default:
            return;
    }
}

void Engine::write_control(unsigned channel, std::uint8_t value) {
    Worker& worker = *workers_[channel];
    if ((value & kReset) != 0) reset_channel(channel);
    if ((value & kHalt) != 0) abort(channel);
    if ((value & (kPause | kHalt | kReset)) == 0) worker.s.reasons = 0;
    worker.s.control = value;
}

void Engine::write_enable(unsigned channel, std::uint32_t value) {
    Worker& worker = *workers_[channel];
    worker.s.enable = value & kValidEnableBits;
    if (!buffers_valid(channel)) worker.s.enable &= ~kEnable;
    if (worker.enabled()) return;
    abort(channel);
    worker.wake.notify_all();  // Its thread ends.
}

bool Engine::buffers_valid(unsigned channel) const {
    const ChannelState& mine = workers_[channel]->s;
    const unsigned begin = buffer_base(mine);
    const unsigned end = begin + buffer_count(mine);
    if (begin == end || end > std::min(16U, kMaxBuffers / channels()) * channels()) return false;
    return std::ranges::none_of(workers_, [&](const auto& worker) {
        const ChannelState& other = worker->s;
        return &other != &mine && worker->enabled() && buffer_base(other) < end &&
               begin < buffer_base(other) + buffer_count(other);
    });
}

std::uint32_t Engine::status(const Worker& worker) const {
    const ChannelState& s = worker.s;
    std::uint32_t bits = s.reasons;
    if (worker.busy) return bits;
    if ((s.control & kHalt) != 0 || all_halted_) bits |= kHalted;
    if (((s.control & kPause) != 0 || s.reasons != 0) && !may_run(worker)) bits |= kPaused;
    return bits;
}

std::uint64_t Engine::summary(std::uint32_t bit) const {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < channels(); ++i) {
        if ((status(*workers_[i]) & bit) != 0) bits |= 1ULL << i;
    }
    return bits;
}

unsigned Engine::vector_of(unsigned channel) const {
    return vectors() == 1 ? 0 : 1 + channel % (vectors() - 1);
}

}  // namespace switchtec::dma
