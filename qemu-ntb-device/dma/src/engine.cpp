// SPDX-License-Identifier: MIT
#include "engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace switchtec::dma {
namespace {

using ntblab::fail;
using ntblab::Result;

std::uint64_t nanoseconds() {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

NtbDmaConfig with_defaults(NtbDmaConfig config) {
    if (config.channels == 0) config.channels = 4;
    if (config.vectors == 0) config.vectors = config.channels + 1;
    return config;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const NtbDmaConfig& asked, bool threads) {
    const NtbDmaConfig config = with_defaults(asked);
    if (config.channels > NTB_DMA_MAX_CHANNELS)
        return fail(
            fmt::format("{} DMA channels, but there can be 1 to {}", config.channels, NTB_DMA_MAX_CHANNELS));
    if (config.vectors > NTB_DMA_MAX_VECTORS)
        return fail(fmt::format("{} MSI-X vectors of the DMA function, but there can be 1 to {}",
                                config.vectors, NTB_DMA_MAX_VECTORS));
    const NtbDmaOps* ops = config.ops;
    if (ops == nullptr || !ops->read || !ops->write || !ops->copy || !ops->interrupt)
        return fail("the DMA engine needs the ops read, write, copy and interrupt");
    return std::unique_ptr<Engine>(new Engine(config, threads));
}

Engine::Engine(const NtbDmaConfig& config, bool threads)
    : config_(config), ops_(*config.ops), threads_(threads) {
    config_.ops = nullptr;  // The caller's, and not needed any more.
    for (unsigned i = 0; i < config.channels; ++i) workers_.push_back(std::make_unique<Worker>(nanoseconds));
    power_on();
}

Engine::~Engine() {
    close();
}

void Engine::close() {
    Lock lock(mutex_);
    closing_ = true;
    abort_all();
    for (auto& worker : workers_) worker->wake.notify_all();
    unlock_and_call_off(lock);
    for (auto& worker : workers_) {
        if (worker->thread.joinable()) worker->thread.join();
    }
}

bool Engine::may_run(const Worker& worker) const {
    return !closing_ && !stopped_ && bus_master_ && holds_ == 0 && !all_halted_ && worker.runnable();
}

bool Engine::cancelled(unsigned channel) const {
    return channel < channels() && workers_[channel]->abort;
}

void Engine::abort(unsigned channel) {
    Worker& worker = *workers_[channel];
    worker.forget_fetched();
    if (!worker.busy || worker.abort) return;
    worker.abort = true;
    to_call_off_ |= 1ULL << channel;
}

void Engine::abort_all() {
    for (unsigned i = 0; i < channels(); ++i) abort(i);
}

void Engine::unlock_and_call_off(Lock& lock) {
    const std::uint64_t aborted = std::exchange(to_call_off_, 0);
    lock.unlock();
    call_off(aborted);
}

void Engine::call_off(std::uint64_t aborted) {
    if (ops_.cancel == nullptr) return;
    for (; aborted != 0; aborted &= aborted - 1)
        ops_.cancel(config_.opaque, static_cast<unsigned>(std::countr_zero(aborted)));
}

// Only what is under way now: what begins later, others have allowed meanwhile.
void Engine::wait_until_quiet(Lock& lock) {
    const std::uint64_t aborted = std::exchange(to_call_off_, 0);
    if (aborted != 0) {
        lock.unlock();
        call_off(aborted);
        lock.lock();
    }
    ++waiting_;
    for (auto& worker : workers_) {
        settled_.wait(lock, [&w = *worker, task = worker->tasks] { return !w.busy || w.tasks != task; });
    }
    --waiting_;
}

void Engine::power_on() {
    const unsigned each = std::min(16U, kMaxBuffers / channels());
    for (unsigned i = 0; i < channels(); ++i) {
        Worker& worker = *workers_[i];
        worker.s.sq_base = worker.s.cq_base = 0;
        worker.s.sq_size = worker.s.cq_size = 0;
        worker.s.perf_config = worker.s.latency_selector = 0;
        worker.s.enable = i * each << kBufferBaseShift | each << kBufferCountShift;
        reset_channel(i);
    }
    all_halted_ = false;
    completion_timeout_ = tag_limit_ = 0;
}

void Engine::reset_channel(unsigned channel) {
    abort(channel);
    ++workers_[channel]->life;
    workers_[channel]->reset();
    workers_[channel]->wake.notify_all();  // If that has disabled the channel, its thread ends.
}

void Engine::reset() {
    Lock lock(mutex_);
    ++holds_;
    bus_master_ = false;
    abort_all();
    wait_until_quiet(lock);
    --holds_;
    bus_master_ = false;
    power_on();
}

void Engine::set_bus_master(bool enabled) {
    Lock lock(mutex_);
    bus_master_ = enabled;
    if (enabled) return kick_all();
    abort_all();
    wait_until_quiet(lock);
}

void Engine::stop(bool wait) {
    Lock lock(mutex_);
    stopped_ = true;
    abort_all();
    if (wait) return wait_until_quiet(lock);
    unlock_and_call_off(lock);
}

void Engine::go_on() {
    const Lock lock(mutex_);
    stopped_ = false;
    kick_all();
}

NtbDmaChannelInfo Engine::inspect(unsigned channel) {
    const Lock lock(mutex_);
    const Worker& worker = *workers_[channel];
    const ChannelState& s = worker.s;
    const std::uint32_t now = status(worker);
    NtbDmaChannelInfo info{};
    info.state = !worker.enabled()                  ? "disabled"
                 : (s.control & kReset) != 0        ? "reset"
                 : (now & kHalted) != 0             ? "halted"
                 : (now & kPaused) != 0             ? "paused"
                 : worker.busy || worker.runnable() ? "busy"
                                                    : "idle";
    info.pause_reason = (s.reasons & kReasonOpcode) != 0       ? "a submission entry has a reserved opcode"
                        : (s.reasons & kReasonCompletion) != 0 ? "a completion entry could not be written"
                        : (s.reasons & kReasonFetch) != 0
                            ? "submission entries could not be read, or the rings make no sense"
                            : "";
    info.descriptors = s.descriptors;
    info.errors = s.errors;
    info.bytes = s.bytes;
    info.interrupts = s.interrupts;
    info.pauses = s.pauses;
    info.cancelled = s.cancelled;
    info.completion_failures = s.completion_failures;
    info.last_error = s.last_error;
    info.pending = worker.pending();
    return info;
}

}  // namespace switchtec::dma
