// SPDX-License-Identifier: MIT
// How far something long is: a bar on standard error, if that is a terminal, once it takes longer than a
// moment.
//
//     Progress progress("ntb-sim run");
//     progress.update(0.25);
#pragma once

#include <chrono>
#include <string>

namespace ntblab::sim {

class Progress {
  public:
    explicit Progress(std::string title);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// @param part from 0 to 1
    void update(double part);

  private:
    using Clock = std::chrono::steady_clock;

    std::string title_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point start_ = Clock::now(), next_;
};

}  // namespace ntblab::sim
