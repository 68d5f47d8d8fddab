// SPDX-License-Identifier: MIT
// A topology as a picture: nodes, the partitions of its switches, links and NT pairs, the LAN.
//
//     fmt::print("{}", graph_ascii(topology));
#pragma once

#include <string>

#include "topology/topology.h"

namespace ntblab::lab {

/// For graphviz.
std::string graph_dot(const topology::Topology& topology);
/// A Mermaid flowchart.
std::string graph_mermaid(const topology::Topology& topology);
/// For a terminal: each switch as a box with a line for each of its NT pairs.
std::string graph_ascii(const topology::Topology& topology);

}  // namespace ntblab::lab
