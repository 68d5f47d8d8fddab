// SPDX-License-Identifier: MIT
// The engine behind the C interface: registers, channels, their threads. What its functions promise is in
// switchtec-dma/engine.h.
//
// One mutex guards all but what a channel's thread fetches. A channel is busy while its thread carries out a
// task, without the mutex; what comes of it counts only if the channel has not been reset meanwhile.
#pragma once

#include <ntblab/result.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "channel.h"
#include "registers.h"
#include "switchtec-dma/engine.h"

namespace switchtec::dma {

class Engine {
  public:
    /// `threads`: false for tests, which call `step` instead.
    static ntblab::Result<std::unique_ptr<Engine>> open(const NtbDmaConfig& config, bool threads = true);
    ~Engine();
    void close();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    unsigned channels() const { return static_cast<unsigned>(workers_.size()); }
    unsigned vectors() const { return config_.vectors; }

    std::uint64_t read(std::uint32_t offset, unsigned size);
    void write(std::uint32_t offset, std::uint64_t value, unsigned size);

    bool cancelled(unsigned channel) const;
    void reset();
    void set_bus_master(bool enabled);
    void stop(bool wait);
    void go_on();

    ntblab::Result<std::vector<std::byte>> save();
    ntblab::Result<void> load(std::span<const std::byte> saved);
    NtbDmaChannelInfo inspect(unsigned channel);

    /// Without threads: carries out one task of the channel, as its thread would. False: there was none.
    bool step(unsigned channel);

  private:
    using Lock = std::unique_lock<std::mutex>;

    struct Worker : Channel {
        using Channel::Channel;
        std::condition_variable wake;
        std::thread thread;
        bool alive = false;              ///< The thread has not yet said that it ends.
        bool busy = false;               ///< It carries out a task.
        std::uint64_t tasks = 0;         ///< Begun so far.
        std::uint64_t life = 0;          ///< Changes when what is being carried out counts for nothing.
        std::atomic<bool> abort{false};  ///< What is being carried out is to be given up.
    };

    Engine(const NtbDmaConfig& config, bool threads);

    // All of these with the mutex held.
    bool may_run(const Worker& worker) const;
    void kick(unsigned channel);
    void kick_all();
    void start(unsigned channel);
    void carry_out_next(Lock& lock, unsigned channel);
    /// Gives up what the channel is busy with.
    void abort(unsigned channel);
    void abort_all();
    void wait_until_quiet(Lock& lock);
    void power_on();
    void reset_channel(unsigned channel);
    bool buffers_valid(unsigned channel) const;
    std::uint32_t status(const Worker& worker) const;
    std::uint64_t summary(std::uint32_t bit) const;
    unsigned vector_of(unsigned channel) const;
    std::uint64_t read_register(const Location& at);
    std::uint64_t read_channel(unsigned channel, Reg reg) const;
    void clear_after_read(unsigned channel, Reg reg);
    void write_register(const Location& at, std::uint64_t value, std::uint64_t mask);
    void write_channel(unsigned channel, Reg reg, std::uint64_t value);
    void write_control(unsigned channel, std::uint8_t value);
    void write_enable(unsigned channel, std::uint32_t value);

    // Without it.
    void run(unsigned channel);
    Outcome carry_out(unsigned channel, const Task& task);
    Outcome write_completion(unsigned channel, const Task& task);
    /// Releases the mutex, and then tells the ops of what was aborted.
    void unlock_and_call_off(Lock& lock);
    void call_off(std::uint64_t channels);

    NtbDmaConfig config_;
    NtbDmaOps ops_;
    bool threads_;
    std::mutex mutex_;
    std::condition_variable settled_;  ///< A channel is no longer busy, and somebody waits for it.
    unsigned waiting_ = 0;
    std::uint64_t to_call_off_ = 0;  ///< Channels that have been aborted, of whom the ops do not know.
    unsigned holds_ = 0;             ///< Functions that nothing may run during.
    bool closing_ = false, stopped_ = false, bus_master_ = false, all_halted_ = false;
    std::uint32_t completion_timeout_ = 0, tag_limit_ = 0;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace switchtec::dma
