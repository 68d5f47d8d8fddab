// SPDX-License-Identifier: MIT
// The RAM of a host as its peers get it: checked, because the other process may be wrong.
//
//     auto table = ntblink::RamTable::receive(message, std::move(packet.fds));
//     if (!table) return refuse(table.error());
//     ntblink::RamMap ram(std::move(*table));
//     for (const auto& piece : ram.pieces()) use(piece.address, piece.fd, piece.fd_offset, piece.size);
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>
#include <ntblink/protocol.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ntblink {

/// A message about RAM and what came with it.
class RamTable {
  public:
    /// No RAM.
    RamTable() = default;
    /// Takes what `message` and `fds` say. Every range lies page by page in a file that cannot shrink under a
    /// mapping, inside the file's size, and overlaps no other. Errors name the range and the field.
    static ntblab::Result<RamTable> receive(const wire::RamTable& message, std::vector<ntblab::UniqueFd> fds);

    /// Sorted by address.
    const std::vector<wire::RamRange>& ranges() const { return ranges_; }
    /// What goes beside a message that passes this table on. The descriptors stay the table's.
    std::vector<int> descriptors() const;
    /// The file of a range.
    int file(const wire::RamRange& range) const { return fds_[1 + range.file].get(); }

  private:
    std::vector<ntblab::UniqueFd> fds_;
    std::vector<wire::RamRange> ranges_;
};

/// The first descriptor of a message with these ranges: a file of them, sealed. Errors: no memory or
/// descriptors left.
ntblab::Result<ntblab::UniqueFd> file_of_ranges(std::span<const wire::RamRange> ranges);

/// A host's RAM, and the files it lies in.
class RamMap {
  public:
    struct Piece {
        std::uint64_t address;  ///< Bus address at its host.
        std::uint64_t size;
        int fd;  ///< Of the map's table.
        std::uint64_t fd_offset;
    };

    /// No RAM.
    RamMap() = default;
    explicit RamMap(RamTable table);

    /// Sorted by address; neighbours that are contiguous in both address and file are one piece.
    std::span<const Piece> pieces() const { return pieces_; }

  private:
    RamTable table_;
    std::vector<Piece> pieces_;
};

}  // namespace ntblink
