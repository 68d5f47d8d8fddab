// SPDX-License-Identifier: MIT
#include "cluster_end.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster_state.h"

namespace ntblab::lab {
namespace {

/// Of one process of the cluster that runs, the fabric first: while there is one, machines come and go.
UniqueFd open_any(const ClusterState& state) {
    if (UniqueFd fabric = open_pidfd(state.fabric)) return fabric;
    for (const NodeState& node : state.nodes)
        if (UniqueFd machine = open_pidfd(node.qemu)) return machine;
    return {};
}

}  // namespace

ClusterEnd::ClusterEnd(boost::asio::io_context& io, ClusterPaths paths, std::function<void()> on_end)
    : paths_(std::move(paths)), on_end_(std::move(on_end)), process_(io) {
    wait();
}

void ClusterEnd::wait() {
    const auto state = load_state(paths_);
    if (!state || state->fabric.pid == 0) return;
    UniqueFd running = open_any(*state);
    if (!running) return on_end_();
    process_.assign(running.release());
    process_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code& error) {
                            if (error) return;
                            process_.close();
                            wait();
                        });
}

}  // namespace ntblab::lab
