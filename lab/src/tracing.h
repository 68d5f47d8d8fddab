// SPDX-License-Identifier: MIT
// A node's trace events, from being switched on until they are switched off again.
//
//     auto tracing = Tracing::begin(io, node_paths, {"doorbell"}, [](const TraceEvent& event) { ... });
//     io.run();
//     (*tracing)->end();
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster_paths.h"
#include "log_follower.h"
#include "trace_event.h"

namespace ntblab::lab {

class Tracing {
  public:
    using OnEvent = std::function<void(const TraceEvent& event)>;

    /// Switches on in the running machine what events of these kinds need; the loop hands them out. The file
    /// that they pass through is emptied as they are read.
    /// nullptr: another process traces the node. Errors: QEMU has no log, or its monitor does not answer.
    static Result<std::unique_ptr<Tracing>> begin(boost::asio::io_context& io, const NodePaths& files,
                                                  const std::vector<std::string>& kinds, OnEvent on_event);
    /// Switches them off as well, if `end` did not.
    ~Tracing();
    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;

    /// Switches all events off, hands out those that came before. Errors: QEMU's monitor does not answer, as
    /// when the machine has ended.
    Result<void> end();

    /// The time of the first possible event, in microseconds since 1970.
    std::int64_t start() const { return start_; }

  private:
    Tracing(boost::asio::io_context& io, const NodePaths& files, UniqueFd log, std::uint64_t offset,
            const std::vector<std::string>& kinds, OnEvent on_event);
    void take(const std::string& line);
    void empty_log();

    std::filesystem::path monitor_;
    UniqueFd log_;  ///< Locked: one at a time.
    std::vector<std::string> kinds_;
    OnEvent on_event_;
    std::int64_t start_;
    std::uint64_t emptied_ = 0;  ///< Bytes of the log.
    bool on_ = true;
    LogFollower follower_;
};

}  // namespace ntblab::lab
