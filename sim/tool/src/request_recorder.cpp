// SPDX-License-Identifier: MIT
#include "request_recorder.h"

#include <algorithm>

namespace ntblab::sim {

// A root complex lets nothing but its CPU's requests out towards a link, and answers to its peers.
void RequestRecorder::spent(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Part part,
                            pcie::Picoseconds begin, pcie::Picoseconds) {
    if (part != pcie::Part::egress || tlp.type == pcie::TlpType::completion) return;
    const auto found = std::ranges::find_if(system_.endpoints(), [&](const auto& endpoint) {
        const std::uint64_t window = system_.window(endpoint);
        const auto* host = system_.find_host(endpoint.node);
        return static_cast<const sc_core::sc_module*>(&host->root) == &where && tlp.address >= window &&
               tlp.address - window < pcie::kPortSpace;
    });
    if (found == system_.endpoints().end()) return;
    requests_.push_back({begin, found->node, found->peer, tlp.type != pcie::TlpType::memory_read,
                         tlp.address - system_.window(*found), tlp.length});
}

std::vector<TraceRequest> RequestRecorder::requests() const {
    std::vector<TraceRequest> sorted = requests_;
    std::ranges::stable_sort(sorted, {}, &TraceRequest::at);
    return sorted;
}

}  // namespace ntblab::sim
