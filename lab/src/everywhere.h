// SPDX-License-Identifier: MIT
// One command on several nodes at once.
//
//     int code = run_everywhere(io, cluster, {"a", "b"}, {"uname", "-r"});
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "cluster_list.h"

namespace ntblab::lab {

/// On one node the command has our streams; on several nobody's input, and its output comes out line by line
/// with the node's name before it. Someone may stop the loop. What cannot be run is said on standard error.
/// @return the exit code of the first of `nodes` where it was not 0; kUnreachable for one that could not be
/// run there.
int run_everywhere(boost::asio::io_context& io, const Cluster& cluster, const std::vector<std::string>& nodes,
                   const std::vector<std::string>& words);

}  // namespace ntblab::lab
