// SPDX-License-Identifier: MIT
// Which parts of the window BARs are memory: the chip's windows cut along the targets' real RAM.
//
//     auto pieces = ntblink::map_windows(chip.windows(0), [&](unsigned target) { return ram[target].pieces();
//     });
#pragma once

#include <ntblink/endpoint.h>
#include <ntblink/ram_table.h>
#include <switchtec/chip.h>

#include <functional>
#include <span>
#include <vector>

namespace ntblink {

/// The RAM of a partition's host, sorted by address; may be empty.
using RamOf = std::function<std::span<const RamMap::Piece>(unsigned partition)>;

/// A part of a window BAR that is memory, and where that memory lies.
struct WindowPiece {
    NtbMappedWindow window;
    int fd;
    std::uint64_t fd_offset;
};

/// Pieces sorted as `windows` are. What lands where the target has no RAM, and what of a piece is less than a
/// page, is left out.
std::vector<WindowPiece> map_windows(std::span<const switchtec::WindowSpan> windows, const RamOf& ram_of);

}  // namespace ntblink
