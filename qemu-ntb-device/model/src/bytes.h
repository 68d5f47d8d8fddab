// SPDX-License-Identifier: MIT
// Little-endian fields in the payloads of firmware commands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace switchtec {

/// The `size` bytes at `offset`.
inline std::uint64_t get(std::span<const std::uint8_t> from, std::size_t offset, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{from[offset + i]} << 8 * i;
    return value;
}
inline void put(std::span<std::uint8_t> to, std::size_t offset, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
}
inline void put_text(std::span<std::uint8_t> to, std::size_t offset, std::string_view text) {
    std::ranges::copy(text, to.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace switchtec
