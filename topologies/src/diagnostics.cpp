// SPDX-License-Identifier: MIT
#include "diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ntblab::topology {

tl::unexpected<Error> Diagnostics::failure() const {
    return fail(fmt::format("{}", fmt::join(errors_, "\n")));
}

std::string Diagnostics::at(const YAML::Mark& mark, const std::string& message) const {
    return fmt::format("{}:{}:{}: {}", path_, mark.line + 1, mark.column + 1, message);
}

}  // namespace ntblab::topology
