// SPDX-License-Identifier: MIT
// What became of a step of a topology's `validate` section.
//
//     const auto complaints = judge(step, 1, "some output\n");   // {"exit code 1, expected 0"}
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace ntblab::lab {

struct StepResult {
    std::string name = {};
    std::string node = {};
    double seconds = 0;
    std::string output = {};                   ///< Standard output.
    std::string error = {};                    ///< Standard error.
    std::vector<std::string> complaints = {};  ///< What was not as expected; none: it passed.
    std::string broken = {};                   ///< Why it could not be run to its end; "": it was.
    bool interrupted = false;                  ///< Someone stopped the loop before its end.

    bool passed() const { return complaints.empty() && broken.empty(); }
};

/// What of an exit code and standard output is not as the step expects, each as a sentence.
std::vector<std::string> judge(const topology::Step& step, int exit_code, const std::string& output);

/// All results as a JUnit XML document with one suite. What XML cannot carry of outputs is replaced by
/// U+FFFD; of long ones the end is kept.
std::string junit_report(const std::string& suite, const std::vector<StepResult>& results);

}  // namespace ntblab::lab
