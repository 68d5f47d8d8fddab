// SPDX-License-Identifier: MIT
// Changes parameters in a profile's text, and leaves its comments, its order and all else as they are.
//
//     auto text = with_parameters(old_text, "pxh810.yaml", {{"dma.start", 6100, "fitted", "Borge 2025"}});
#pragma once

#include <ntblab/result.h>

#include <string>
#include <vector>

namespace ntblab::sim {

struct NewValue {
    std::string name;
    double value;
    std::string status, source;
};

/// One line of a profile's `parameters`.
std::string parameter_line(const NewValue& value);

/// Those that the text does not have yet come at its end. Errors, with file:line:column: no YAML, no
/// `parameters` in lines of their own, one of those to be changed is not written as {...} on one line.
Result<std::string> with_parameters(const std::string& text, const std::string& path,
                                    const std::vector<NewValue>& values);

}  // namespace ntblab::sim
