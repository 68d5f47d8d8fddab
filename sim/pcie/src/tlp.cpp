// SPDX-License-Identifier: MIT
#include "pcie/tlp.h"

namespace ntblab::pcie {

const char* name_of(const Tlp& tlp) {
    switch (tlp.type) {
        case TlpType::memory_write:
            return "MWr";
        case TlpType::memory_read:
            return "MRd";
        case TlpType::completion:
            return tlp.length > 0 ? "CplD" : "Cpl";
        case TlpType::message:
            return "Msg";
    }
    return "?";
}

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
