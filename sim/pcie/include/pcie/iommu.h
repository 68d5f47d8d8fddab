// SPDX-License-Identifier: MIT
// How long an IOMMU takes to translate: an IOTLB of some pages, and walkers for what it does not have.
//
//     Iommu iommu(IommuConfig{.entries = 64, .miss = nanoseconds(280)});
//     const Picoseconds ready = iommu.translate(address, at);
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <unordered_map>
#include <vector>

#include "pcie/statistics.h"

namespace ntblab::pcie {

struct IommuConfig {
    unsigned entries = 64;      ///< Pages that its IOTLB has, least recently used ones go; 0: no IOMMU.
    std::uint64_t page = 4096;  ///< Bytes, a power of two.
    Picoseconds miss = nanoseconds(280);
    unsigned walkers = 1;  ///< Misses at the same time.
};

struct IommuStatistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    Picoseconds waited = 0;  ///< For a walker.
    BusyTime busy;           ///< At least one walks.
    Histogram queue;         ///< Walks that are under way or wait, when one more is needed.
};

class Iommu {
  public:
    /// @throw std::invalid_argument without walkers, or for a page size that is not a power of two.
    explicit Iommu(const IommuConfig& config);

    /// When a request of `at` has its translation. Requests come in the order of time.
    Picoseconds translate(std::uint64_t address, Picoseconds at);
    const IommuStatistics& statistics() const { return statistics_; }

  private:
    struct Page {
        std::uint64_t number;
        Picoseconds ready;  ///< When its walk ends.
    };

    IommuConfig config_;
    std::list<Page> pages_;  ///< The least recently used is last.
    std::unordered_map<std::uint64_t, std::list<Page>::iterator> index_;
    std::vector<Picoseconds> walkers_;  ///< When each is free.
    std::deque<Picoseconds> walks_;     ///< When those that had not ended do.
    IommuStatistics statistics_;
};

}  // namespace ntblab::pcie
