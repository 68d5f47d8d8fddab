// SPDX-License-Identifier: MIT
// Results of runs, as JSON and CSV. Times are in picoseconds, rates in 1e9 bytes a second.
#pragma once

#include <nlohmann/json.hpp>

#include "simulate.h"

namespace ntblab::sim {

/// A size's: what was measured, of all and of each flow, and what modules counted.
nlohmann::ordered_json outcome_json(const Outcome& outcome, const topology::Topology& topology);

/// Of an array of objects with "conditions", whose keys are the same in all, and "points": a line for each
/// point, with the conditions in front.
std::string results_csv(const nlohmann::ordered_json& runs);

/// Points of one run, for people.
std::string results_table(const nlohmann::ordered_json& run);

}  // namespace ntblab::sim
