// SPDX-License-Identifier: MIT
// What a machine has and lacks for running clusters.
//
//     for (const Finding& finding : examine()) std::cout << finding.what << finding.detail;
#pragma once

#include <string>
#include <vector>

namespace ntblab::lab {

enum class Verdict { good, warning, bad };

struct Finding {
    std::string what;
    Verdict verdict = Verdict::good;
    std::string detail;
    std::string advice = {};  ///< What to do, unless all is good.
};

std::vector<Finding> examine();

}  // namespace ntblab::lab
