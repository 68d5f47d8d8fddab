// SPDX-License-Identifier: MIT
// What a profile's parameters have to be beside in range: whole, powers of two, and fit for each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pcie/profile.h"

namespace ntblab::pcie {
namespace {

constexpr std::array<std::string_view, 9> kPowersOfTwo = {
    "link.lanes", "link.mps", "link.mrrs",       "host.max-payload", "fabric.max-payload",
    "host.rcb",   "cpu.line", "cpu.store-bytes", "iommu.page",
};

bool is_whole(const Parameter& parameter) {
    return (parameter.unit.empty() || parameter.unit == "bytes") && parameter.name != "link.bit-error-rate";
}

/// Of a port of `owner`, "host" or "fabric".
struct PortNames {
    std::string_view max_payload, posted_data, completion_data, replay_buffer;
};
constexpr PortNames kHost = {"host.max-payload", "host.posted-data", "host.completion-data",
                             "host.replay-buffer"};
constexpr PortNames kFabric = {"fabric.max-payload", "fabric.posted-data", "fabric.completion-data",
                               "fabric.replay-buffer"};

void check_port(const Profile& profile, const LinkSide& side, const PortNames& names,
                std::vector<Conflict>& found) {
    constexpr std::string_view kMps = "link.mps";
    if (profile.mps > side.max_payload)
        found.push_back({{kMps, names.max_payload},
                         fmt::format("link.mps is {}, more than {}, {}; lower the one or raise the other",
                                     profile.mps, names.max_payload, side.max_payload)});
    const std::uint32_t needed = (profile.mps + 15) / 16;
    for (const auto& [name, of] : {std::pair{names.posted_data, FlowClass::posted},
                                   std::pair{names.completion_data, FlowClass::completion}}) {
        const std::uint32_t data = side.credits[index_of(of)].data;
        if (data < needed)
            found.push_back(
                {{name, kMps},
                 fmt::format("{} is {}, but a TLP of link.mps, {}, needs {} credits of 16 bytes; raise it",
                             name, data, profile.mps, needed)});
    }
    const std::uint32_t largest = profile.mps + 16 + kTlpFraming;
    if (side.replay_buffer < largest)
        found.push_back(
            {{names.replay_buffer, kMps},
             fmt::format("{} is {}, but a TLP of link.mps, {}, has {} bytes on the wire; raise it",
                         names.replay_buffer, side.replay_buffer, profile.mps, largest)});
}

void check_size(unsigned bytes, std::string_view name, unsigned most, std::string_view limit,
                std::vector<Conflict>& found) {
    if (bytes > most)
        found.push_back({{name, limit},
                         fmt::format("{} is {}, but one TLP carries it, of at most {}, {}; lower it", name,
                                     bytes, limit, most)});
}

void check_tags(const Profile& profile, std::vector<Conflict>& found) {
    const unsigned most = most_tags(profile.generation);
    if (profile.dma.tags > most)
        found.push_back({{"dma.tags", "link.generation"},
                         fmt::format("dma.tags is {}, but tags of Gen{} (link.generation) are at most {}; "
                                     "lower the one or raise the other",
                                     profile.dma.tags, profile.generation, most)});
}

}  // namespace

unsigned most_tags(unsigned generation) {
    constexpr unsigned kOf8Bits = 256, kOf10Bits = 1024;
    return generation <= 3 ? kOf8Bits : generation <= 5 ? kOf10Bits : kMostTags;
}

std::string refusal(const Parameter& parameter, double value) {
    if (!is_whole(parameter) || std::isinf(value)) return "";
    if (value != std::floor(value)) return "expected a whole number";
    if (std::ranges::find(kPowersOfTwo, parameter.name) == kPowersOfTwo.end()) return "";
    if (std::exp2(std::round(std::log2(value))) == value) return "";
    const double below = std::exp2(std::floor(std::log2(value)));
    return fmt::format("expected a power of two, such as {:.0f}", std::max(below, parameter.least));
}

std::vector<Conflict> conflicts(const Profile& profile) {
    std::vector<Conflict> found;
    check_port(profile, profile.host_side, kHost, found);
    check_port(profile, profile.fabric_side, kFabric, found);
    check_tags(profile, found);
    check_size(profile.cpu.line, "cpu.line", profile.mps, "link.mps", found);
    check_size(profile.dma.descriptor, "dma.descriptor", profile.mrrs, "link.mrrs", found);
    check_size(profile.dma.completion, "dma.completion", profile.mps, "link.mps", found);
    return found;
}

}  // namespace ntblab::pcie
