// SPDX-License-Identifier: MIT
// A cluster for the length of one command.
//
//     return use_once(*plan, options, [&](io_context& io, const Cluster& cluster) { return run_everywhere(io,
//     cluster, ...); });
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>

#include "bring_up.h"
#include "cluster_list.h"

namespace ntblab::lab {

/// Brings the cluster up, calls `use`, takes the cluster down. A signal stops `io`'s loop; `use` then has to
/// return.
/// @return what `use` returned; kUnreachable if the cluster could not be started or ended, which is said on
/// standard error; 128 + n after signal n.
int use_once(const Plan& plan, const UpOptions& options,
             const std::function<int(boost::asio::io_context&, const Cluster&)>& use);

}  // namespace ntblab::lab
