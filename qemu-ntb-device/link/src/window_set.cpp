// SPDX-License-Identifier: MIT
#include "window_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ntblink {

namespace {

bool same_window(const NtbMappedWindow& x, const NtbMappedWindow& y) {
    return x.bar == y.bar && x.target == y.target && x.offset == y.offset && x.size == y.size &&
           x.address == y.address;
}

bool same_memory(const WindowPiece& a, const WindowPiece& b) {
    return same_window(a.window, b.window) && a.fd == b.fd && a.fd_offset == b.fd_offset;
}

// The first of `pieces` that ends after `offset` of `bar`.
auto first_beyond(const std::vector<WindowPiece>& pieces, unsigned bar, std::uint64_t offset) {
    return std::partition_point(pieces.begin(), pieces.end(), [&](const WindowPiece& piece) {
        const NtbMappedWindow& window = piece.window;
        return window.bar < bar || (window.bar == bar && window.offset + window.size <= offset);
    });
}

}  // namespace

void WindowSet::show(const std::vector<WindowPiece>& pieces, const std::function<void()>& changed) {
    std::vector<WindowPiece> shown;
    shown.reserve(pieces.size());
    for (const WindowPiece& piece : pieces) {
        const auto there = first_beyond(pieces_, piece.window.bar, piece.window.offset);
        if (there == pieces_.end() || !same_memory(*there, piece)) {
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
    const std::vector<NtbMappedWindow> before = windows();
    const std::vector<WindowPiece> old = std::exchange(pieces_, std::move(shown));
    const std::vector<NtbMappedWindow> now = windows();
    if (!std::equal(before.begin(), before.end(), now.begin(), now.end(), same_window)) changed();
    for (const WindowPiece& piece : old) close_remains(piece);
}

std::vector<NtbMappedWindow> WindowSet::windows() const {
    std::vector<NtbMappedWindow> merged;
    for (const WindowPiece& piece : pieces_) {
        const NtbMappedWindow& window = piece.window;
        if (!merged.empty() && merged.back().bar == window.bar && merged.back().target == window.target &&
            merged.back().offset + merged.back().size == window.offset) {
            merged.back().size += window.size;
        } else {
            merged.push_back(window);
        }
    }
    return merged;
}

// Closes what of `old` no piece of today covers.
void WindowSet::close_remains(const WindowPiece& old) {
    std::uint64_t begin = old.window.offset;
    const std::uint64_t end = old.window.offset + old.window.size;
    for (auto piece = first_beyond(pieces_, old.window.bar, begin); piece != pieces_.end(); ++piece) {
        const NtbMappedWindow& window = piece->window;
        if (window.bar != old.window.bar || window.offset >= end) break;
        if (window.offset > begin) bar(old).clear(begin, window.offset - begin);
        begin = window.offset + window.size;
        if (begin >= end) return;
    }
    bar(old).clear(begin, end - begin);
}

}  // namespace ntblink
