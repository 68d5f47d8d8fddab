// SPDX-License-Identifier: MIT
// Tells when a cluster has ended without being taken down: its processes were killed.
//
//     ClusterEnd end(io, paths, [&] { io.stop(); });
//     io.run();
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

#include "cluster_paths.h"

namespace ntblab::lab {

class ClusterEnd {
  public:
    /// Calls `on_end` once when the fabric and every machine has ended, at once if they have: no node can be
    /// started any more then. Never if the cluster has no fabric, or its directory is gone.
    ClusterEnd(boost::asio::io_context& io, ClusterPaths paths, std::function<void()> on_end);

  private:
    void wait();

    ClusterPaths paths_;
    std::function<void()> on_end_;
    boost::asio::posix::stream_descriptor process_;  ///< pidfd of one that is still there.
};

}  // namespace ntblab::lab
