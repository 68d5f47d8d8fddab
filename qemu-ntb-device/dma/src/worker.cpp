// SPDX-License-Identifier: MIT
// A channel's thread, and how it carries out tasks.
#include <pthread.h>

#include <csignal>
#include <string>
#include <system_error>

#include "engine.h"

namespace switchtec::dma {
namespace {

// The host's signals are for the host's threads: a new one inherits the mask of whoever starts it.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_;
};

Outcome read_failed_unless(bool done) {
    return {.status = done ? NTB_DMA_OK : NTB_DMA_SOURCE_FAILED};
}

Outcome write_failed_unless(bool done) {
    return {.status = done ? NTB_DMA_OK : NTB_DMA_DESTINATION_FAILED};
}

}  // namespace

void Engine::kick(unsigned channel) {
    Worker& worker = *workers_[channel];
    if (!threads_ || !may_run(worker)) return;
    if (worker.alive) {
        worker.wake.notify_one();
    } else {
        start(channel);
    }
}

void Engine::kick_all() {
    for (unsigned i = 0; i < channels(); ++i) kick(i);
}

void Engine::start(unsigned channel) {
    Worker& worker = *workers_[channel];
    if (worker.thread.joinable()) worker.thread.join();  // It has ended but for its last instructions.
    const SignalsBlocked blocked;
    try {
        worker.thread = std::thread([this, channel] { run(channel); });
        worker.alive = true;
    } catch (const std::system_error&) {
        // No more threads for this process. The driver sees a paused channel, and when it resumes we try
        // again.
        worker.pause(kReasonFetch);
    }
}

void Engine::run(unsigned channel) {
    Worker& worker = *workers_[channel];
    pthread_setname_np(pthread_self(), ("ntb-dma-" + std::to_string(channel)).c_str());
    if (ops_.thread_begin != nullptr) ops_.thread_begin(config_.opaque, channel);
    Lock lock(mutex_);
    for (;;) {
        if (may_run(worker)) {
            carry_out_next(lock, channel);
        } else if (worker.enabled() && !closing_) {
            worker.wake.wait(lock);
        } else {
            lock.unlock();
            if (ops_.thread_end != nullptr) ops_.thread_end(config_.opaque, channel);
            lock.lock();
            if (!may_run(worker)) break;
            lock.unlock();
            if (ops_.thread_begin != nullptr) ops_.thread_begin(config_.opaque, channel);
            lock.lock();
        }
    }
    worker.alive = false;
}

bool Engine::step(unsigned channel) {
    Lock lock(mutex_);
    if (!may_run(*workers_[channel])) return false;
    carry_out_next(lock, channel);
    return true;
}

void Engine::carry_out_next(Lock& lock, unsigned channel) {
    Worker& worker = *workers_[channel];
    const Task task = worker.next();
    if (task.kind != Task::Kind::None) {
        worker.busy = true;
        worker.abort = false;
        ++worker.tasks;
        const std::uint64_t life = worker.life;
        lock.unlock();
        const Outcome outcome = carry_out(channel, task);
        lock.lock();
        worker.busy = false;
        if (life == worker.life) {
            worker.apply(task, outcome, worker.abort);
            if (worker.abort) worker.forget_fetched();
        }
        if (waiting_ != 0) settled_.notify_all();
    }
    if (worker.s.sq_tail == worker.s.sq_current) worker.update_idle();
}

Outcome Engine::carry_out(unsigned channel, const Task& task) {
    void* opaque = config_.opaque;
    Outcome outcome;
    switch (task.kind) {
        case Task::Kind::None:
            break;
        case Task::Kind::Fetch:
            return read_failed_unless(
                ops_.read(opaque, channel, task.source, workers_[channel]->fetched.data(), task.size));
        case Task::Kind::Copy:
            return {.status = ops_.copy(opaque, channel, task.destination, task.source, task.size)};
        case Task::Kind::ReadImmediate:
            if (!ops_.read(opaque, channel, task.source, &outcome.immediate, task.size))
                outcome.status = NTB_DMA_SOURCE_FAILED;
            break;
        case Task::Kind::WriteImmediate:
            return write_failed_unless(
                ops_.write(opaque, channel, task.destination, &task.immediate, task.size));
        case Task::Kind::Complete:
            return write_completion(channel, task);
        case Task::Kind::Interrupt:
            ops_.interrupt(opaque, channel, vector_of(channel));
            break;
        case Task::Kind::StatusInterrupt:
            ops_.interrupt(opaque, channel, 0);
            break;
    }
    return outcome;
}

// The phase tag last, as a write of its own, which the op orders after all before: with it the driver takes
// everything else for written.
Outcome Engine::write_completion(unsigned channel, const Task& task) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&task.completion);
    if (!ops_.write(config_.opaque, channel, task.destination, bytes, kCompletionBody) || cancelled(channel))
        return {.status = NTB_DMA_DESTINATION_FAILED};
    if (!ops_.write(config_.opaque, channel, task.destination + kCompletionBody, bytes + kCompletionBody,
                    sizeof(CompletionEntry) - kCompletionBody))
        return {.status = NTB_DMA_DESTINATION_FAILED};
    if (ops_.descriptor != nullptr) {
        NtbDmaDescriptor descriptor = task.descriptor;
        descriptor.channel = channel;
        ops_.descriptor(config_.opaque, &descriptor);
    }
    return {};
}

}  // namespace switchtec::dma
