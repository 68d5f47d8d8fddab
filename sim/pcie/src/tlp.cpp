// SPDX-License-Identifier: MIT
#include "pcie/tlp.h"

namespace ntblab::pcie {

Tlp& TlpPool::make(TlpType type) {
    if (free_.empty()) free_.push_back(&all_.emplace_back());
    Tlp& tlp = *free_.back();
    free_.pop_back();
    tlp = Tlp{};
    tlp.type = type;
    tlp.serial = ++made_;
    tlp.created = now();
    tlp.pool = this;
    return tlp;
}

}  // namespace ntblab::pcie
