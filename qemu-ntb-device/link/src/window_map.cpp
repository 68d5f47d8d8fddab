// SPDX-License-Identifier: MIT
#include "window_map.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

namespace ntblink {

namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

// The whole pages of `window` that lie in `ram`; empty when there are none.
std::optional<WindowPiece> intersect(const switchtec::WindowSpan& window, const RamMap::Piece& ram) {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    // Both ends inclusive, so that nothing overflows at the end of the address space.
    const std::uint64_t first = std::max(window.address, ram.address);
    std::uint64_t last_of_window = window.address + window.size - 1;
    if (last_of_window < window.address) last_of_window = UINT64_MAX;
    const std::uint64_t last = std::min(last_of_window, ram.address + ram.size - 1);
    if (window.size == 0 || last < first) return std::nullopt;

    const std::uint64_t offset = window.offset + (first - window.address);
    const std::uint64_t begin = round_up(offset, page);
    const std::uint64_t end = (offset + (last - first) + 1) / page * page;
    if (end <= begin) return std::nullopt;
    const std::uint64_t address = first + (begin - offset);
    if (address % page != 0) return std::nullopt;
    return WindowPiece{{window.bar, window.target, begin, end - begin, address},
                       ram.fd,
                       ram.fd_offset + (address - ram.address)};
}

}  // namespace

std::vector<WindowPiece> map_windows(std::span<const switchtec::WindowSpan> windows, const RamOf& ram_of) {
    std::vector<WindowPiece> pieces;
    for (const switchtec::WindowSpan& window : windows) {
        for (const RamMap::Piece& ram : ram_of(window.target)) {
            if (const auto piece = intersect(window, ram)) pieces.push_back(*piece);
        }
    }
    return pieces;
}

}  // namespace ntblink
