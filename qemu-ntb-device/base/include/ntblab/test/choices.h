// SPDX-License-Identifier: MIT
// Bytes of a fuzzer or a random generator as choices. When they have run out, all are 0.
//
//     Choices choices({data, size});
//     while (!choices.empty()) act(choices.below(30), choices.take(4));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ntblab::test {

class Choices {
  public:
    explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    bool empty() const { return bytes_.empty(); }
    /// A number of `count` bytes, at most 8.
    std::uint64_t take(unsigned count) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count && !bytes_.empty(); ++i, bytes_ = bytes_.subspan(1)) {
            value |= std::uint64_t{bytes_.front()} << (8 * i);
        }
        return value;
    }
    /// 0 to end - 1; `end` is at most 256.
    unsigned below(unsigned end) { return static_cast<unsigned>(take(1)) % end; }

  private:
    std::span<const std::uint8_t> bytes_;
};

}  // namespace ntblab::test
