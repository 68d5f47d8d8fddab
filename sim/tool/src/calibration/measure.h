// SPDX-License-Identifier: MIT
// What the model says of a calibration's case.
//
//     const std::vector<double> model = evaluate(one, profile);   // in the case's unit, by point
#pragma once

#include <optional>
#include <vector>

#include "calibration.h"
#include "pcie/profile.h"

namespace ntblab::sim {

/// What `Traffic::operation` may be.
const std::vector<std::string>& operations();

/// What a unit is of picoseconds, or of 1e9 bytes a second; nothing for a unit that is not of this measure.
std::optional<double> unit_scale(const std::string& unit, Case::Measure measure);

/// @param profile of no account for cases that are no simulations. @return NaN for what is not modelled.
/// @throw std::invalid_argument for a profile that cannot have such a link.
std::vector<double> evaluate(const Case& one, const pcie::Profile& profile);

/// How far a model's value is off, in tolerances: up to 1 in size is within. 0 for what is not modelled.
double misses_by(const Published& point, double model);
bool within(const Published& point, double model);

}  // namespace ntblab::sim
