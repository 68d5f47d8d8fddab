// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP as events of a loop, so that a command can tidy up before it ends.
//
//     Interrupts interrupts(io, [&](int number) { io.stop(); });
//     ...
//     if (interrupts.caught()) return kSignalBase + *interrupts.caught();
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <optional>

namespace ntblab::lab {

class Interrupts {
  public:
    /// From now on these signals end the process no more. One that is ignored (nohup) stays ignored.
    explicit Interrupts(
        boost::asio::io_context& io, std::function<void(int)> on_signal = [](int) {});

    /// The first one that came, if the loop has run since.
    std::optional<int> caught() const { return caught_; }

  private:
    void wait();

    boost::asio::signal_set signals_;
    std::function<void(int)> on_signal_;
    std::optional<int> caught_;
};

}  // namespace ntblab::lab
