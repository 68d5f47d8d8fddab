// SPDX-License-Identifier: MIT
#include "window_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ntblink {

namespace {

bool same_window(const WindowPiece& a, const WindowPiece& b) {
    const NtbMappedWindow& x = a.window;
    const NtbMappedWindow& y = b.window;
    return x.bar == y.bar && x.target == y.target && x.offset == y.offset && x.size == y.size &&
           x.address == y.address;
}

bool same_memory(const WindowPiece& a, const WindowPiece& b) {
    return same_window(a, b) && a.fd == b.fd && a.fd_offset == b.fd_offset;
}

}  // namespace

void WindowSet::show(const std::vector<WindowPiece>& pieces, const std::function<void()>& changed) {
    std::vector<WindowPiece> shown;
    shown.reserve(pieces.size());
    for (const WindowPiece& piece : pieces) {
        const bool there =
            std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& p) { return same_memory(p, piece); });
        if (!there) {
            const auto mapped =
                bar(piece).map(piece.window.offset, piece.window.size, piece.fd, piece.fd_offset);
            if (!mapped) {
                fmt::print(stderr, "ntb-endpoint: a window to partition {} stays closed: {}\n",
                           piece.window.target, mapped.error().message);
                continue;
            }
        }
        shown.push_back(piece);
    }
    const bool differs = !std::equal(pieces_.begin(), pieces_.end(), shown.begin(), shown.end(), same_window);
    const std::vector<WindowPiece> old = std::exchange(pieces_, std::move(shown));
    if (differs) changed();
    for (const WindowPiece& piece : old) close_remains(piece);
}

// Closes what of `old` no piece of today covers.
void WindowSet::close_remains(const WindowPiece& old) {
    std::uint64_t begin = old.window.offset;
    const std::uint64_t end = old.window.offset + old.window.size;
    for (const WindowPiece& piece : pieces_) {
        const NtbMappedWindow& window = piece.window;
        if (window.bar != old.window.bar || window.offset + window.size <= begin || window.offset >= end)
            continue;
        if (window.offset > begin) bar(old).clear(begin, window.offset - begin);
        begin = window.offset + window.size;
        if (begin >= end) return;
    }
    bar(old).clear(begin, end - begin);
}

}  // namespace ntblink
