// SPDX-License-Identifier: MIT
#include "topology/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace ntblab::topology {

tl::unexpected<Error> Diagnostics::failure() const {
    return fail(fmt::format("{}", fmt::join(in_order(errors_), "\n")));
}

std::vector<std::string> Diagnostics::in_order(std::vector<Finding> findings) const {
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& left, const Finding& right) {
        return std::tie(left.mark.line, left.mark.column) < std::tie(right.mark.line, right.mark.column);
    });
    std::vector<std::string> result;
    result.reserve(findings.size());
    for (const auto& [mark, message] : findings)  // a file without anything in it has no mark
        result.push_back(fmt::format("{}:{}:{}: {}", path_, std::max(mark.line, 0) + 1,
                                     std::max(mark.column, 0) + 1, message));
    return result;
}

}  // namespace ntblab::topology
