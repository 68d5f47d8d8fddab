// SPDX-License-Identifier: MIT
// Things to do at times to come, in the order of time, and of being asked for.
//
//     Timeline timeline("timeline");
//     timeline.at(now() + nanoseconds(100), [&] { cpu.start(access, done); });
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "pcie/time.h"

namespace ntblab::pcie {

class Timeline : public sc_core::sc_module {
  public:
    explicit Timeline(sc_core::sc_module_name name) : sc_module(name) {
        SC_HAS_PROCESS(Timeline);
        SC_METHOD(run);
        sensitive << alarm_.event();
        dont_initialize();
    }

    /// What is in the past is done at once.
    void at(Picoseconds time, std::function<void()> what) {
        entries_.push({time, asked_++, std::move(what)});
        alarm_.at_latest(time);
    }

  private:
    struct Entry {
        Picoseconds time;
        std::uint64_t number;
        std::function<void()> what;
        bool operator<(const Entry& other) const {  // of a priority_queue, whose greatest is first
            return time != other.time ? time > other.time : number > other.number;
        }
    };

    void run() {
        alarm_.rang();
        while (!entries_.empty() && entries_.top().time <= now()) {
            const std::function<void()> what = entries_.top().what;
            entries_.pop();
            what();
        }
        if (!entries_.empty()) alarm_.at_latest(entries_.top().time);
    }

    std::priority_queue<Entry> entries_;
    std::uint64_t asked_ = 0;
    Alarm alarm_{"alarm"};
};

}  // namespace ntblab::pcie
