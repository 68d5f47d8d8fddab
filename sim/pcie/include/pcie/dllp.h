// SPDX-License-Identifier: MIT
// Data link layer packets, as one side of a link sends them about what it has received.
#pragma once

#include <cstdint>

#include "pcie/credits.h"

namespace ntblab::pcie {

struct Dllp {
    enum class Kind : std::uint8_t { acknowledge, reject, update_credits };
    Kind kind = Kind::acknowledge;
    std::uint64_t sequence = 0;  ///< The first that is not acknowledged; reject: to be sent again from there.
    std::size_t of_class = 0;    ///< update_credits: whose,
    CreditPair freed{0, 0};      ///< and how many more.
};

}  // namespace ntblab::pcie
