// SPDX-License-Identifier: MIT
// What RAM each host of a switch gives to each of its peers, and since when.
//
//     RamShares shares(48);
//     shares.change(owner, viewers, std::move(table));
//     const RamShares::Share& share = shares.share(owner, viewer);
#pragma once

#include <ntblink/ram_table.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace fabric {

class RamShares {
  public:
    struct Share {
        std::shared_ptr<const ntblink::RamTable> table = std::make_shared<ntblink::RamTable>();
        std::uint64_t epoch = 0;  ///< When it changed last.
    };

    explicit RamShares(std::size_t partitions) : shares_(partitions, std::vector<Share>(partitions)) {}

    /// Replaces what `owner` gives to `viewers` (one bit each). Returns the new epoch.
    std::uint64_t change(unsigned owner, std::uint64_t viewers, ntblink::RamTable table);
    const Share& share(unsigned owner, unsigned viewer) const { return shares_.at(owner).at(viewer); }

    /// Owners that give RAM to `viewer`, one bit each.
    std::uint64_t owners(unsigned viewer) const;
    /// Counts the changes so far.
    std::uint64_t epoch() const { return epoch_; }
    /// Every change up to this one is known to `viewer` when it has been told all but what `untold` give it.
    std::uint64_t epoch_told(unsigned viewer, std::uint64_t untold) const;

  private:
    std::vector<std::vector<Share>> shares_;  // By owner, then viewer.
    std::uint64_t epoch_ = 0;
};

}  // namespace fabric
