// SPDX-License-Identifier: MIT
// The RAM of a host as its peers get it: checked, because the other process may be wrong.
//
//     if (auto checked = ntblink::check_ram_table(table, fds); !checked) return refuse(checked.error());
//     ntblink::RamMap ram = ntblink::RamMap::make(table, std::move(fds)).value();
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

/// Every range lies page by page in a file that cannot shrink under a mapping, inside the file's size, and
/// overlaps no other. Errors name the range and the field.
ntblab::Result<void> check_ram_table(const wire::RamTable& table, std::span<const ntblab::UniqueFd> fds);

/// A host's RAM, and the files it lies in.
class RamMap {
  public:
    struct Piece {
        std::uint64_t address;  ///< Bus address at its host.
        std::uint64_t size;
        int fd;  ///< Owned by the map.
        std::uint64_t fd_offset;
    };

    /// No RAM.
    RamMap() = default;
    /// Errors: as check_ram_table.
    static ntblab::Result<RamMap> make(const wire::RamTable& table, std::vector<ntblab::UniqueFd> fds);

    /// Sorted by address; neighbours that are contiguous in both address and file are one piece.
    std::span<const Piece> pieces() const { return pieces_; }

  private:
    std::vector<ntblab::UniqueFd> fds_;
    std::vector<Piece> pieces_;
};

}  // namespace ntblink
