// SPDX-License-Identifier: MIT
// Fits a profile's free parameters to the cases that are about it: least squares of errors in tolerances, by
// NLopt's BOBYQA (Powell 2009), within bounds, from their middle. The same input gives the same result.
//
//     const Fit fit = fit_profile(profile, free, cases, [](unsigned runs) { ... });
//     fit.profile;                                                  // with the values found
#pragma once

#include <functional>
#include <vector>

#include "calibration.h"
#include "pcie/profile.h"

namespace ntblab::sim {

struct Fit {
    pcie::Profile profile;
    std::vector<double> values;  ///< Of the free parameters, in their order, to three digits.
    double before = 0;           ///< Sum of squares of the profile as it was,
    double after = 0;            ///< and as it is.
    unsigned evaluations = 0;
};

/// Sum of squared misses of cases, in tolerances. Declared misfits and what is not modelled do not count.
double misses(const pcie::Profile& profile, const std::vector<const Case*>& cases);

/// @param cases of this profile; @param free one at least; @param progress is told of each evaluation.
Fit fit_profile(const pcie::Profile& profile, const std::vector<FreeParameter>& free,
                const std::vector<const Case*>& cases, const std::function<void(unsigned)>& progress);

/// Most evaluations that one fit makes.
unsigned most_evaluations(std::size_t free);

}  // namespace ntblab::sim
