// SPDX-License-Identifier: MIT
// Flow control credits of one direction of a link: header and data of posted, non-posted and completion TLPs
// (PCIe 4.0, 2.6.1).
//
//     Credits credits(limits);
//     if (credits.cover(tlp)) credits.consume(tlp);
//     credits.give_back(freed);                        // when an UpdateFC says so
#pragma once

#include <array>
#include <cstdint>

#include "pcie/tlp.h"

namespace ntblab::pcie {

inline constexpr std::uint32_t kInfiniteCredits = UINT32_MAX;

/// What a receiver advertises, or frees, of one class.
struct CreditPair {
    std::uint32_t header = kInfiniteCredits;
    std::uint32_t data = kInfiniteCredits;  ///< Of 16 bytes each.
    bool operator==(const CreditPair&) const = default;
};

using CreditLimits = std::array<CreditPair, kFlowClasses>;

/// Which of the two there is too little of.
enum class Starved : std::uint8_t { nothing, header, data };

class Credits {
  public:
    explicit Credits(const CreditLimits& limits) : limits_(limits), left_(limits) {}

    const CreditLimits& limits() const { return limits_; }
    const CreditLimits& left() const { return left_; }

    Starved starved(const Tlp& tlp) const {
        const CreditPair& left = left_[class_index(tlp)];
        if (left.header == 0) return Starved::header;
        return left.data < data_credits(tlp) ? Starved::data : Starved::nothing;
    }

    void consume(const Tlp& tlp) {
        CreditPair& left = left_[class_index(tlp)];
        if (left.header != kInfiniteCredits) left.header -= 1;
        if (left.data != kInfiniteCredits) left.data -= data_credits(tlp);
    }

    void give_back(std::size_t of_class, CreditPair freed) {
        CreditPair& left = left_[of_class];
        if (left.header != kInfiniteCredits) left.header += freed.header;
        if (left.data != kInfiniteCredits) left.data += freed.data;
    }

    /// Nothing is consumed that has not been given back.
    bool all_back() const { return left_ == limits_; }

  private:
    CreditLimits limits_;
    CreditLimits left_;
};

}  // namespace ntblab::pcie
