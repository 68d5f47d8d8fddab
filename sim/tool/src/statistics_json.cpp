// SPDX-License-Identifier: MIT
#include "statistics_json.h"

#include <array>

namespace ntblab::sim {
namespace {

using Json = nlohmann::ordered_json;

/// The upper end of each bin and how many were in it; without those above the last that is not empty.
Json histogram(const pcie::Histogram& histogram) {
    Json bins = Json::array();
    std::size_t used = histogram.bins().size();
    while (used > 0 && histogram.bins()[used - 1] == 0) --used;
    for (std::size_t bin = 0; bin < used; ++bin)
        bins.push_back({{"up_to", (std::uint64_t{1} << bin) - 1}, {"count", histogram.bins()[bin]}});
    return bins;
}

Json stalls(const pcie::Stalls& stalls) {
    constexpr std::array<const char*, pcie::kStallCauses> kNames = {
        "posted_header",     "posted_data",     "non_posted_header", "non_posted_data",
        "completion_header", "completion_data", "replay_buffer"};
    Json result = Json::object();
    for (std::size_t cause = 0; cause < kNames.size(); ++cause)
        result[kNames[cause]] = stalls.span(static_cast<pcie::StallCause>(cause));
    return result;
}

Json direction(const pcie::LinkStatistics& s) {
    return {{"tlps", s.tlps},
            {"tlp_bytes", s.tlp_bytes},
            {"payload_bytes", s.payload_bytes},
            {"delivered", s.delivered},
            {"delivered_bytes", s.delivered_bytes},
            {"replayed", s.replayed},
            {"replayed_bytes", s.replayed_bytes},
            {"acknowledgements", s.acknowledgements},
            {"rejections", s.rejections},
            {"credit_updates", s.credit_updates},
            {"corrupted", s.corrupted},
            {"skips", s.skips},
            {"busy_ps", s.busy / pcie::kTicksPerPicosecond},
            {"stalls_ps", stalls(s.stalls)},
            {"queue", histogram(s.queue)}};
}

Json switch_ports(const pcie::Switch& hop) {
    Json ports = Json::array();
    for (unsigned port = 0; port < hop.ports(); ++port) {
        const auto& s = hop.statistics(port);
        ports.push_back(
            {{"tlps", s.tlps}, {"payload_bytes", s.payload_bytes}, {"buffered", histogram(s.buffered)}});
    }
    return ports;
}

Json host(const pcie::System::Host& host) {
    const auto& root = host.root.statistics();
    const auto& iommu = host.root.iommu().statistics();
    Json result = {{"writes", root.writes},
                   {"written_bytes", root.written},
                   {"reads", root.reads},
                   {"read_bytes", root.read},
                   {"interrupts", root.interrupts},
                   {"completions", root.completions},
                   {"waited_for_slot_ps", root.waited_for_slot},
                   {"queue", histogram(root.queue)},
                   {"ports_busy_ps", Json::array()},
                   {"iommu",
                    {{"hits", iommu.hits},
                     {"misses", iommu.misses},
                     {"waited_ps", iommu.waited},
                     {"busy_ps", iommu.busy.total()},
                     {"queue", histogram(iommu.queue)}}}};
    for (unsigned port = 0; port < host.root.ports(); ++port)
        result["ports_busy_ps"].push_back(host.root.busy(port));
    if (host.cpu) {
        const auto& cpu = host.cpu->statistics();
        result["cpu"] = {{"accesses", cpu.accesses},    {"tlps", cpu.tlps},
                         {"bytes", cpu.bytes},          {"waited_for_buffer_ps", cpu.waited_for_buffer},
                         {"busy_ps", cpu.busy.total()}, {"queue", histogram(cpu.queue)}};
    }
    return result;
}

Json dma(const pcie::DmaStatistics& s) {
    return {{"transfers", s.transfers},
            {"reads", s.reads},
            {"writes", s.writes},
            {"bytes", s.bytes},
            {"most_tags", s.most_tags},
            {"waited_for_tag_ps", s.waited_for_tag},
            {"waited_for_link_ps", s.waited_for_link},
            {"busy_ps", s.busy},
            {"queue", histogram(s.queue)}};
}

Json ntb_direction(const pcie::NtbDirectionStatistics& s) {
    return {{"tlps", s.tlps},
            {"payload_bytes", s.payload_bytes},
            {"busy_ps", s.busy.total()},
            {"queue", histogram(s.queue)}};
}

}  // namespace

Json statistics_json(const pcie::System& system) {
    Json result = {{"links", Json::object()},
                   {"switches", Json::object()},
                   {"ntbs", Json::object()},
                   {"dma", Json::object()},
                   {"hosts", Json::object()}};
    for (const auto& link : system.links())
        result["links"][link->basename()] = {{"from_side_0", direction(link->statistics(0))},
                                             {"from_side_1", direction(link->statistics(1))}};
    for (const auto& hop : system.switches()) result["switches"][hop->basename()] = switch_ports(*hop);
    for (const auto& endpoint : system.endpoints()) {
        const auto& ntb = endpoint.ntb->statistics();
        result["ntbs"][endpoint.ntb->basename()] = {{"translated", ntb.translated},
                                                    {"unsupported", ntb.unsupported},
                                                    {"from_host", ntb_direction(ntb.from_host)},
                                                    {"from_fabric", ntb_direction(ntb.from_fabric)}};
        result["dma"][endpoint.dma->basename()] = dma(endpoint.dma->statistics());
    }
    for (std::size_t node = 0; node < system.host_count(); ++node)
        if (const auto* found = system.find_host(node))
            result["hosts"][found->root.basename()] = host(*found);
    return result;
}

}  // namespace ntblab::sim
