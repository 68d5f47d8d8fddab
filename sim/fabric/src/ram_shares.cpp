// SPDX-License-Identifier: MIT
#include "ram_shares.h"

#include <algorithm>

namespace fabric {

std::uint64_t RamShares::change(unsigned owner, std::uint64_t viewers, ntblink::RamTable table) {
    const auto shared = std::make_shared<const ntblink::RamTable>(std::move(table));
    ++epoch_;
    std::vector<Share>& given = shares_.at(owner);
    for (unsigned viewer = 0; viewer < given.size(); ++viewer) {
        if ((viewers >> viewer & 1) != 0) given[viewer] = {shared, epoch_};
    }
    return epoch_;
}

std::uint64_t RamShares::owners(unsigned viewer) const {
    std::uint64_t owners = 0;
    for (unsigned owner = 0; owner < shares_.size(); ++owner) {
        if (!share(owner, viewer).table->ranges().empty()) owners |= std::uint64_t{1} << owner;
    }
    return owners;
}

std::uint64_t RamShares::epoch_told(unsigned viewer, std::uint64_t untold) const {
    std::uint64_t told = epoch_;
    for (unsigned owner = 0; owner < shares_.size(); ++owner) {
        if ((untold >> owner & 1) != 0) told = std::min(told, share(owner, viewer).epoch - 1);
    }
    return told;
}

}  // namespace fabric
