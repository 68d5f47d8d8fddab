// SPDX-License-Identifier: MIT
// Traffic of a workload, with transfers of one size, and what it measures.
//
//     Runner runner("runner", system, profile, workload, flows, 4096);
//     sc_core::sc_start();
//     const Measured measured = runner.measured();
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ropcie_links.h"
#include "traffic.h"

namespace ntblab::sim {

/// Times in picoseconds. All zero but `size` if nothing was measured.
struct Point {
    std::uint64_t size = 0;  ///< Bytes of a transfer; of a trace 0.
    std::uint64_t transfers = 0;
    std::uint64_t bytes = 0;                                     ///< Of all of them.
    pcie::Picoseconds least = 0, median = 0, p99 = 0, most = 0;  ///< Latency; by nearest rank.
    double mean = 0;
    /// From the end of the last that warmed up to the end of the last; of stores, as the CPU sees it.
    pcie::Picoseconds elapsed = 0;

    /// Payload, in 1e9 bytes a second.
    double rate() const {
        return elapsed == 0 ? 0 : 1000.0 * static_cast<double>(bytes) / static_cast<double>(elapsed);
    }
};

/// @param latencies in any order
Point summary(std::uint64_t size, std::uint64_t bytes, std::vector<pcie::Picoseconds> latencies,
              pcie::Picoseconds elapsed);

struct Measured {
    struct OfFlow {
        Flow flow;
        Point point;
    };
    Point all;
    std::vector<OfFlow> flows;
    std::uint64_t doorbells = 0;  ///< That RoPCIe rang.
};

class Runner : public sc_core::sc_module {
  public:
    /// @throw std::invalid_argument for nodes that no NT pair joins, a size of 0, a doorbell of
    /// more than one store, or a trace.
    Runner(sc_core::sc_module_name name, pcie::System& system, const pcie::Profile& profile,
           const Workload& workload, const std::vector<Flow>& flows, std::uint64_t size);
    ~Runner() override;

    /// Once the simulation has come to rest. @throw std::logic_error if transfers are under way.
    Measured measured() const;
    /// Transfers that have ended, and all, of all flows.
    std::uint64_t ended() const { return ended_; }
    std::uint64_t all() const { return flows_.size() * per_flow_; }
    std::function<void()> on_end = [] {};  ///< Of each transfer.

  private:
    class FlowRun;

    pcie::Timeline timeline_{"timeline"};
    std::unique_ptr<RopcieLinks> ropcie_;
    std::vector<std::unique_ptr<FlowRun>> flows_;
    std::uint64_t size_;
    std::uint64_t warm_up_, per_flow_;
    std::uint64_t ended_ = 0;
};

}  // namespace ntblab::sim
