// SPDX-License-Identifier: MIT
// Trace events with the names of what they are about: registers and their fields, switches, partitions.
//
//     TraceText text(topology, node, start);
//     fmt::print("{}\n", text.line(event));   // "  0.001234 sw0:1 write ntb_ctrl[1].partition_op = 0x1
//     (op=LOCK)"
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "topology/topology.h"
#include "trace_event.h"

namespace ntblab::lab {

class TraceText {
  public:
    /// `node`: index into the topology's nodes. `start`: the time that is 0, in microseconds since 1970.
    TraceText(const topology::Topology& topology, std::size_t node, std::int64_t start)
        : topology_(topology), node_(node), start_(start) {}

    /// For people: seconds, SWITCH:PARTITION of the endpoint, what happened.
    std::string line(const TraceEvent& event) const;

    /// For machines; docs/ntblab.md lists the fields.
    nlohmann::ordered_json json(const TraceEvent& event) const;

  private:
    /// nullptr: no such endpoint.
    const topology::Endpoint* endpoint(const TraceEvent& event) const;
    std::string describe(const TraceEvent& event) const;
    double seconds(const TraceEvent& event) const;

    const topology::Topology& topology_;
    std::size_t node_;
    std::int64_t start_;
    std::vector<topology::Endpoint> endpoints_ = topology_.all_endpoints(node_);
};

}  // namespace ntblab::lab
