// SPDX-License-Identifier: MIT
// QEMU's option syntax.
#pragma once

#include <string>

namespace ntblab::lab {

/// A value inside a comma-separated option: commas doubled.
inline std::string option_value(const std::string& value) {
    std::string result;
    for (const char c : value) result += c == ',' ? std::string(",,") : std::string(1, c);
    return result;
}

}  // namespace ntblab::lab
