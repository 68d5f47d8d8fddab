// SPDX-License-Identifier: MIT
// After fork: closes what the parent has open, as its sockets must close when the parent closes them.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace fabric::test {

inline void close_inherited(std::vector<int> keep) {
    std::sort(keep.begin(), keep.end());
    unsigned first = 3;
    for (const int fd : keep) {
        const auto kept = static_cast<unsigned>(fd);
        if (kept > first) ::close_range(first, kept - 1, 0);
        first = kept + 1;
    }
    ::close_range(first, ~0U, 0);
}

}  // namespace fabric::test
