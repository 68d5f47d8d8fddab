// SPDX-License-Identifier: MIT
// What transfers between two hosts are made of, for each operation (workload.h).
//
//     auto traffic = make_traffic(parts, flow, index, workload, listener);
//     traffic->begin(0, 4096);
#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "pcie/system.h"
#include "pcie/timeline.h"
#include "workload.h"

namespace ntblab::sim {

class RopcieLinks;

/// What traffic of all flows shares.
struct Parts {
    pcie::System& system;
    pcie::Timeline& timeline;
    RopcieLinks* ropcie;  ///< For rdma_* alone.
};

/// Who asked for a transfer; told of both once for each, not before their time is certain.
class TrafficListener {
  public:
    /// The flow may have its next transfer begun at `at`.
    virtual void released(std::uint64_t transfer, pcie::Picoseconds at) = 0;
    /// What latency is measured to.
    virtual void finished(std::uint64_t transfer, pcie::Picoseconds at) = 0;

  protected:
    ~TrafficListener() = default;
};

/// A flow's number is in all cookies of its TLPs, so that what hosts see can be told apart.
inline constexpr unsigned kFlowShift = 40;
constexpr std::uint64_t cookie_of(std::size_t flow, std::uint64_t transfer) {
    return (flow + 1) << kFlowShift | transfer;
}
constexpr std::size_t flow_of_cookie(std::uint64_t cookie) {
    return (cookie >> kFlowShift) - 1;
}

class Traffic {
  public:
    virtual ~Traffic() = default;
    /// Begins a transfer now. @param transfer its number within the flow, less than 2^38.
    virtual void begin(std::uint64_t transfer, std::uint64_t bytes) = 0;
    /// A write of this flow is visible at `node`: at a polling CPU, or as an interrupt in its handler.
    virtual void written(std::size_t node, const pcie::Tlp& tlp, pcie::Picoseconds visible) = 0;
};

/// @throw std::invalid_argument if no NT pair joins the flow's nodes.
std::unique_ptr<Traffic> make_traffic(const Parts& parts, const Flow& flow, std::size_t index,
                                      const Workload& workload, TrafficListener& listener);

/// Those of pio_* and doorbell, of dma_* and device_*, of rdma_*.
std::unique_ptr<Traffic> make_pio(const Parts& parts, const Flow& flow, std::size_t index,
                                  const Workload& workload, TrafficListener& listener);
std::unique_ptr<Traffic> make_dma(const Parts& parts, const Flow& flow, std::size_t index,
                                  const Workload& workload, TrafficListener& listener);
std::unique_ptr<Traffic> make_rdma(const Parts& parts, const Flow& flow, std::size_t index,
                                   const Workload& workload, TrafficListener& listener);

/// Bytes of transfers that have not been seen yet, of a flow.
class Outstanding {
  public:
    void begin(std::uint64_t cookie, std::uint64_t bytes) { left_[cookie] = bytes; }
    /// Whether these were the last ones, which are then forgotten.
    bool seen(std::uint64_t cookie, std::uint64_t bytes) {
        const auto found = left_.find(cookie);
        if (found == left_.end()) return false;
        found->second -= std::min(bytes, found->second);
        if (found->second > 0) return false;
        left_.erase(found);
        return true;
    }

  private:
    std::map<std::uint64_t, std::uint64_t> left_;
};

/// Of transfers that are bytes of memory, one behind the other.
class MemoryTraffic : public Traffic {
  protected:
    MemoryTraffic(std::size_t index, const Workload& workload, TrafficListener& listener)
        : operation_(workload.operation),
          listener_(listener),
          base_(cookie_of(index, 0)),
          span_(workload.span) {}

    /// Where a transfer is in memory.
    std::uint64_t offset(std::uint64_t transfer, std::uint64_t bytes) const {
        return bytes * transfer % std::max(span_, bytes);
    }
    /// A transfer that ends everywhere at once.
    void done(std::uint64_t transfer, pcie::Picoseconds at) {
        listener_.finished(transfer, at);
        listener_.released(transfer, at);
    }

    Operation operation_;
    TrafficListener& listener_;
    std::uint64_t base_;  ///< Cookie of transfer 0.
    Outstanding outstanding_;

  private:
    std::uint64_t span_;
};

inline bool is_interrupt(const pcie::Tlp& tlp) {
    return tlp.address >= pcie::kInterruptSpace &&
           tlp.address - pcie::kInterruptSpace < pcie::kInterruptSpaceSize;
}

}  // namespace ntblab::sim
