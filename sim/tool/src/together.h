// SPDX-License-Identifier: MIT
// Whether topology, profile and workload of a run go together: what cannot be, what makes no difference, and
// what a user may not expect.
#pragma once

#include "pcie/profile.h"
#include "workload.h"

namespace ntblab::sim {

/// Errors: parameters that do not go together; a doorbell of more than one store.
Result<void> check_together(const pcie::Profile& profile, const Workload& workload);

/// Why a parameter of this name makes no difference to runs of these, and what does; "" if it does.
std::string no_effect(std::string_view parameter, const pcie::Profile& profile,
                      const topology::Topology& topology, const Workload& workload);

/// Sentences: hosts' links of `flows` that are not of the profile's generation and lanes; more tags than
/// these links have.
std::vector<std::string> notes(const pcie::Profile& profile, const topology::Topology& topology,
                               const Workload& workload, const std::vector<Flow>& flows);

}  // namespace ntblab::sim
