// SPDX-License-Identifier: MIT
// TLPs that have been sent and are not acknowledged, by sequence number.
//
//     ReplayBuffer buffer(16384);
//     const std::uint64_t sequence = buffer.add(tlp, bytes);
//     buffer.taken(sequence);                       // by the receiver: the TLP is not this buffer's any more
//     buffer.acknowledge(sequence + 1);
#pragma once

#include <cstdint>
#include <deque>

#include "pcie/tlp.h"

namespace ntblab::pcie {

class ReplayBuffer {
  public:
    struct Entry {
        Tlp* tlp;             ///< Null if the receiver has taken it.
        std::uint32_t bytes;  ///< On the wire.
    };

    explicit ReplayBuffer(std::uint32_t capacity) : capacity_(capacity) {}

    bool has_room(std::uint32_t bytes) const { return used_ + bytes <= capacity_; }
    bool empty() const { return entries_.empty(); }

    std::uint64_t add(Tlp& tlp, std::uint32_t bytes) {
        entries_.push_back({&tlp, bytes});
        used_ += bytes;
        return first_ + entries_.size() - 1;
    }
    void taken(std::uint64_t sequence) { entries_[sequence - first_].tlp = nullptr; }

    /// All before `sequence`.
    void acknowledge(std::uint64_t sequence) {
        for (; first_ < sequence && !entries_.empty(); ++first_) {
            used_ -= entries_.front().bytes;
            entries_.pop_front();
        }
        if (again_ < first_) again_ = first_;
    }

    /// All there is has to be sent again.
    void rewind() {
        again_ = first_;
        end_ = first_ + entries_.size();
    }
    bool replays() const { return again_ < end_; }
    /// The next of these.
    std::uint64_t next_sequence() const { return again_; }
    Entry& next() { return entries_[again_ - first_]; }
    void sent_again() { ++again_; }

  private:
    std::uint32_t capacity_;
    std::uint32_t used_ = 0;
    std::uint64_t first_ = 0;  ///< Sequence number of the oldest.
    std::uint64_t again_ = 0;  ///< Of the next to be sent again,
    std::uint64_t end_ = 0;    ///< and after the last of these.
    std::deque<Entry> entries_;
};

}  // namespace ntblab::pcie
