// SPDX-License-Identifier: MIT
// Pictures of a calibration: what was measured as points beside the model's curve, over transfer sizes.
//
//     for (const CurvePicture& picture : curves(calibration, profiles, "")) plot({picture.panel}, folder /
//     (picture.name + ".svg"));
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration.h"
#include "pcie/profile.h"
#include "plot.h"

namespace ntblab::sim {

struct CurvePicture {
    std::string name;  ///< "pxh810-gen3x8-pio-write-rate": for a file.
    Panel panel;
};

/// One for each profile, operation and measure that simulations of two sizes at least are compared in; those
/// of the profile `only`, or all.
std::vector<CurvePicture> curves(const Calibration& calibration,
                                 const std::map<std::string, pcie::Profile>& profiles,
                                 const std::string& only);

}  // namespace ntblab::sim
