// SPDX-License-Identifier: MIT
// What modules count. Of busy times there are two kinds: that something is under way in a module (CPU, root
// complex, NTB, IOMMU), and that a resource which only one thing can have at a time is in use (wires, a DMA
// engine's data path). A queue's depth is what is there already when one more comes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "pcie/time.h"

namespace ntblab::pcie {

/// Numbers by their size: 0, 1, 2-3, 4-7, ...
class Histogram {
  public:
    static constexpr std::size_t kBins = 33;

    void add(std::uint32_t value) { ++bins_[std::bit_width(value)]; }
    const std::array<std::uint64_t, kBins>& bins() const { return bins_; }

  private:
    std::array<std::uint64_t, kBins> bins_{};
};

/// For how long at least one of some spans was under way, which come in the order of their beginnings: what
/// is earlier than the end of those before is counted already.
class BusyTime {
  public:
    void add(Picoseconds begin, Picoseconds end) {
        begin = std::max(begin, until_);
        if (end <= begin) return;
        total_ += end - begin;
        until_ = end;
    }
    Picoseconds total() const { return total_; }

  private:
    Picoseconds total_ = 0, until_ = 0;
};

/// Why something that is there to be sent is not sent.
enum class StallCause : std::uint8_t {
    posted_header,
    posted_data,
    non_posted_header,
    non_posted_data,
    completion_header,
    completion_data,
    replay_buffer
};
inline constexpr std::size_t kStallCauses = 7;

/// For how long, by cause; one at a time.
class Stalls {
  public:
    void begin(StallCause cause, Picoseconds at) {
        end(at);
        cause_ = cause;
        since_ = at;
    }
    /// Whether it is this one that things wait for.
    bool is(StallCause cause) const { return since_ != kNever && cause_ == cause; }
    bool any() const { return since_ != kNever; }
    void end(Picoseconds at) {
        if (since_ == kNever) return;
        spans_[static_cast<std::size_t>(cause_)] += at - since_;
        since_ = kNever;
    }
    Picoseconds span(StallCause cause) const { return spans_[static_cast<std::size_t>(cause)]; }

  private:
    std::array<Picoseconds, kStallCauses> spans_{};
    StallCause cause_{};
    Picoseconds since_ = kNever;
};

}  // namespace ntblab::pcie
