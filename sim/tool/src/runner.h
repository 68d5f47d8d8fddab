// SPDX-License-Identifier: MIT
// Traffic between two hosts of a system, a transfer size after the other, and what it measures.
//
//     Workload workload{.kind = Workload::Kind::dma_write, .sizes = {4096, 65536}};
//     Runner runner("runner", system, workload);
//     sc_core::sc_start();
//     for (const Point& point : runner.points()) ...
#pragma once

#include <map>
#include <vector>

#include "pcie/system.h"
#include "pcie/timeline.h"

namespace ntblab::sim {

struct Workload {
    enum class Kind : std::uint8_t {
        pio_write,     ///< Write-combined stores into the window; latency until the peer sees the last byte.
        pio_read,      ///< Loads from the window.
        pio_pingpong,  ///< A store there, and when it is seen, one back; half of that.
        dma_write,     ///< The engine copies to the peer, until the peer sees the last byte.
        dma_read,      ///< The engine copies from the peer, until its own host does.
        device_write,  ///< The engine writes to its own host's memory.
        device_read,   ///< The engine reads from its own host's memory, until the last completion.
        doorbell,      ///< An uncached store that becomes an interrupt, until its handler.
    };

    Kind kind = Kind::pio_write;
    std::size_t from = 0, to = 1;          ///< Nodes; `to` is of no account for device_*.
    std::vector<std::uint64_t> sizes{64};  ///< Bytes; of a doorbell 4.
    unsigned transfers = 100;              ///< That are measured, of each size.
    unsigned warm_up = 10;                 ///< Before these.
    unsigned in_flight = 1;                ///< At the same time.
    bool uncached = false;                 ///< What is read is in no cache.
    bool remote = false;                   ///< Memory is another socket's.
    std::uint64_t span = 1 << 20;  ///< Bytes of memory that transfers go through, one after the other.
};

/// Times in picoseconds.
struct Point {
    std::uint64_t size = 0;
    std::uint64_t transfers = 0;
    pcie::Picoseconds least = 0, median = 0, p99 = 0, most = 0;  ///< Latency.
    double mean = 0;
    /// From the start of the first that was measured to the end of the last; of stores, as the CPU sees it.
    pcie::Picoseconds elapsed = 0;

    /// Payload, in 1e9 bytes a second.
    double rate() const {
        return elapsed == 0 ? 0
                            : 1000.0 * static_cast<double>(size) * static_cast<double>(transfers) /
                                  static_cast<double>(elapsed);
    }
};

class Runner : public sc_core::sc_module {
  public:
    /// @throw std::invalid_argument for nodes that no NT pair joins, or no sizes.
    Runner(sc_core::sc_module_name name, pcie::System& system, const Workload& workload);

    /// Of all sizes, once the simulation has come to rest.
    const std::vector<Point>& points() const { return points_; }

  private:
    struct Running {
        pcie::Picoseconds start;
        std::uint64_t left;  ///< Bytes that have not been seen.
    };

    void begin_size();
    void begin_transfer();
    void seen(std::uint64_t cookie, std::uint64_t bytes, pcie::Picoseconds at);
    void send_back(std::uint64_t cookie);
    void finished(std::uint64_t cookie, pcie::Picoseconds at);
    void end_size();
    void watch(std::size_t node, bool interrupts);
    pcie::Transfer transfer(std::uint64_t cookie) const;
    std::uint64_t size() const { return workload_.sizes[size_index_]; }
    bool stores() const;

    pcie::System& system_;
    Workload workload_;
    const pcie::System::Endpoint* near_;
    const pcie::System::Endpoint* far_;
    pcie::Timeline timeline_{"timeline"};
    std::size_t size_index_ = 0;
    std::uint64_t begun_ = 0, ended_ = 0;  ///< Of this size.
    std::uint64_t first_cookie_ = 1;       ///< Of this size.
    std::map<std::uint64_t, Running> running_;
    std::vector<pcie::Picoseconds> latencies_;
    pcie::Picoseconds measured_from_ = 0, measured_to_ = 0;
    std::vector<Point> points_;
};

}  // namespace ntblab::sim
