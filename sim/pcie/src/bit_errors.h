// SPDX-License-Identifier: MIT
// Where the bits are that a wire turns: independent of each other, at a constant rate.
//
//     BitErrors errors(1e-12, seed);
//     if (errors.hit(8 * bytes)) discard();
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace ntblab::pcie {

class BitErrors {
  public:
    BitErrors(double rate, std::uint64_t seed)
        : random_(seed), distance_(rate > 0 ? rate : 1), none_(rate <= 0) {
        left_ = none_ ? 0 : draw();
    }

    /// Whether one is among the next `bits`.
    bool hit(std::uint64_t bits) {
        if (none_) return false;
        const bool is_hit = left_ < bits;
        while (left_ < bits) left_ += 1 + draw();
        left_ -= bits;
        return is_hit;
    }

  private:
    std::uint64_t draw() { return distance_(random_); }

    std::mt19937_64 random_;
    std::geometric_distribution<std::uint64_t> distance_;
    bool none_;
    std::uint64_t left_ = 0;  ///< Bits before the next error.
};

}  // namespace ntblab::pcie
