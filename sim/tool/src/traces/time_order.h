// SPDX-License-Identifier: MIT
// Puts things that are told of before their time into the order of time.
//
//     TimeOrder<Change> changes;
//     changes.add(at, change);                                  // not before now()
//     changes.take(pcie::now(), [&](Picoseconds at, const Change& change) { ... });
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "pcie/time.h"

namespace ntblab::sim {

template <typename What>
class TimeOrder {
  public:
    void add(pcie::Picoseconds at, What what) { entries_.push({at, added_++, std::move(what)}); }

    /// All that is before `until`, in the order of time, and of being added.
    template <typename Taker>
    void take(pcie::Picoseconds until, Taker taker) {
        for (; !entries_.empty() && entries_.top().at < until; entries_.pop())
            taker(entries_.top().at, entries_.top().what);
    }

  private:
    struct Entry {
        pcie::Picoseconds at;
        std::uint64_t number;
        What what;
        bool operator<(const Entry& other) const {  // of a priority_queue, whose greatest is first
            return at != other.at ? at > other.at : number > other.number;
        }
    };
    std::priority_queue<Entry> entries_;
    std::uint64_t added_ = 0;
};

}  // namespace ntblab::sim
