// SPDX-License-Identifier: MIT
// What a guest reports on its ntblab.status port, one event a line, and what it means for being ready.
//
//     NodeStatus status(1);                      // ready: ssh, and the link of one endpoint
//     status.take("ssh");
//     status.take("link-up 0000:01:00.0");
//     assert(status.ready());
#pragma once

#include <set>
#include <string>

#include "topology/topology.h"

namespace ntblab::lab {

class NodeStatus {
  public:
    /// `links`: endpoints whose NTB link must be up before the node is ready.
    explicit NodeStatus(std::size_t links) : expected_links_(links) {}

    /// One line, without its end.
    void take(const std::string& line);

    bool ready() const { return ssh_ && failure_.empty() && links_up_.size() >= expected_links_; }
    /// Why it will never be ready; "" while it may.
    const std::string& failure() const { return failure_; }
    /// How far it is, for people: "booting", "userspace", "drivers", "ssh", "link up 1/2", "ready".
    std::string summary() const;

  private:
    std::size_t expected_links_;
    std::set<std::string> links_up_;  ///< Devices.
    bool userspace_ = false;
    bool drivers_ = false;
    bool ssh_ = false;
    std::string failure_;
};

/// NT endpoints of a node whose link comes up by itself after boot: both sides load the driver and a client
/// that enables the link when it is loaded.
std::size_t links_expected(const topology::Topology& topology, std::size_t node);
/// Of them, those that lead to `peer`.
std::size_t links_expected(const topology::Topology& topology, std::size_t node, std::size_t peer);

}  // namespace ntblab::lab
