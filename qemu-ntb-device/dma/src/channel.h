// SPDX-License-Identifier: MIT
// One channel as a state machine without threads: what it does next, and what comes of it.
//
//     while (channel.runnable()) {
//         const Task task = channel.next();
//         channel.apply(task, carry_out(task), /*cancelled=*/false);
//     }
#pragma once

#include <array>
#include <cstdint>

#include "state.h"
#include "switchtec-dma/engine.h"

namespace switchtec::dma {

/// An access to the guest, or an interrupt, that is to be made.
struct Task {
    enum class Kind : std::uint8_t {
        None,  ///< There is nothing to do any more.
        Fetch,
        Copy,
        ReadImmediate,
        WriteImmediate,
        Complete,
        Interrupt,
        StatusInterrupt
    };
    Kind kind = Kind::None;
    std::uint64_t source = 0, destination = 0;
    std::uint32_t size = 0;         ///< Bytes.
    std::uint64_t immediate = 0;    ///< To be written.
    CompletionEntry completion{};   ///< Of Complete.
    NtbDmaDescriptor descriptor{};  ///< Of Complete; without the channel.
};

struct Outcome {
    NtbDmaStatus status = NTB_DMA_OK;
    std::uint64_t immediate = 0;  ///< What was read.
};

class Channel {
  public:
    explicit Channel(std::uint64_t (*clock)()) : clock_(clock) { reset(); }

    ChannelState s{};
    /// Submission entries from sq_current on that have been read. Only a Fetch task's carrying out writes
    /// here.
    std::array<SubmissionEntry, kMaxFetch> fetched{};

    bool enabled() const { return (s.enable & kEnable) != 0; }
    /// There is a next step, as far as it depends on the channel alone.
    bool runnable() const;
    Task next();
    /// `cancelled`: a failure means only that it was given up.
    void apply(const Task& task, const Outcome& outcome, bool cancelled);

    /// As the register bit: forgets everything but configuration and the counters of NtbDmaChannelInfo.
    void reset();
    /// What was fetched is to be fetched again.
    void forget_fetched() { fetched_begin_ = fetched_end_ = 0; }
    /// The engine pauses the channel.
    void pause(std::uint32_t reason);

    /// Submissions that are not completed.
    unsigned pending() const;
    /// Of them, those that wait in buffers.
    unsigned waiting() const { return fetched_end_ - fetched_begin_; }
    /// Of them, those that are still in the ring alone.
    unsigned unfetched() const;
    /// Counts idle time; to be called whenever registers have changed.
    void update_idle();

  private:
    bool rings_sensible() const;
    bool completions_full() const;
    void begin(const SubmissionEntry& entry);
    Task fetch();
    Task move();
    Task complete();
    void apply_move(const Task& task, const Outcome& outcome);
    void apply_complete();
    void finish(std::uint32_t status, std::uint32_t pause_after = 0);
    void measured(std::uint32_t kind, std::uint64_t since);
    std::uint64_t now(std::uint32_t kind) const { return (s.latency_selector & kind) != 0 ? clock_() : 0; }

    std::uint64_t (*clock_)();  ///< Nanoseconds.
    unsigned fetched_begin_ = 0, fetched_end_ = 0;
    std::uint64_t step_began_ = 0, descriptor_began_ = 0;  ///< 0: not measured.
    std::uint64_t idle_since_ = 0;                         ///< 0: not idle.
};

}  // namespace switchtec::dma
