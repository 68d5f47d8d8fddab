// SPDX-License-Identifier: MIT
#include "pcie/iommu.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace ntblab::pcie {

Iommu::Iommu(const IommuConfig& config) : config_(config), walkers_(config.walkers, 0) {
    if (config.walkers == 0) throw std::invalid_argument("an IOMMU has a walker at least");
    if (!std::has_single_bit(config.page)) throw std::invalid_argument("a page has a power of two of bytes");
}

Picoseconds Iommu::translate(std::uint64_t address, Picoseconds at) {
    if (config_.entries == 0) return at;
    const std::uint64_t number = address / config_.page;
    if (const auto found = index_.find(number); found != index_.end()) {
        pages_.splice(pages_.begin(), pages_, found->second);
        ++statistics_.hits;
        return std::max(at, found->second->ready);
    }
    ++statistics_.misses;
    const auto walker = std::min_element(walkers_.begin(), walkers_.end());
    const Picoseconds begins = std::max(at, *walker);
    statistics_.waited += begins - at;
    *walker = begins + config_.miss;
    while (!walks_.empty() && walks_.front() <= at) walks_.pop_front();
    statistics_.queue.add(static_cast<std::uint32_t>(walks_.size()));
    walks_.push_back(*walker);
    statistics_.busy.add(begins, *walker);
    if (pages_.size() == config_.entries) {
        index_.erase(pages_.back().number);
        pages_.pop_back();
    }
    pages_.push_front({number, *walker});
    index_[number] = pages_.begin();
    return *walker;
}

}  // namespace ntblab::pcie
