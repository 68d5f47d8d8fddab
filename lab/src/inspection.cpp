// SPDX-License-Identifier: MIT
#include "inspection.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text.h"

namespace ntblab::lab {
namespace {

using nlohmann::json;

constexpr const char* kGenerationSpeeds[] = {"?", "2.5", "5", "8", "16", "32"};

std::string format_link(const json& link) {
    const auto generation = link.at("generation").get<std::size_t>();
    return fmt::format("{} {} GT/s x{}", link.at("up").get<bool>() ? "up" : "down",
                       kGenerationSpeeds[generation < std::size(kGenerationSpeeds) ? generation : 0],
                       link.at("width").get<unsigned>());
}

std::string format_window(const json& window) {
    return fmt::format("      BAR{} +{:#x}, {} -> partition {}, bus address {:#x}\n",
                       window.at("bar").get<unsigned>(), window.at("offset").get<std::uint64_t>(),
                       human_size(window.at("size").get<std::uint64_t>()),
                       window.at("target").get<unsigned>(), window.at("address").get<std::uint64_t>());
}

/// 64 bits are written as "0x...".
std::uint64_t mask(const json& text) {
    return std::stoull(text.get<std::string>(), nullptr, 16);
}

std::string format_bars(const json& partition) {
    return fmt::format("BAR2 {:<5} BAR4 {:<5}", human_size(partition.at("bar2_size").get<std::uint64_t>()),
                       human_size(partition.at("bar4_size").get<std::uint64_t>()));
}

std::string format_partition(const json& partition) {
    const json& node = partition.at("node");
    const json& pid = partition.at("pid");
    const json& control = partition.at("control");
    const bool management = partition.at("endpoint") == "management";
    std::string result = fmt::format(
        "  {:>2} {:<16} link {:<18} {:<12} {:<21} {}\n", partition.at("partition").get<unsigned>(),
        node.is_null() ? "-" : node.get<std::string>(), format_link(partition.at("link")),
        pid.is_null() ? "no process" : fmt::format("pid {}", pid.get<int>()),
        management ? "management" : format_bars(partition), control.at("state").get<std::string>());
    const json& owner = control.at("owner");
    if (!owner.is_null()) result += fmt::format("      locked by partition {}\n", owner.get<unsigned>());
    const json& doorbells = partition.at("doorbells");
    if (const auto pending = mask(doorbells.at("pending")); pending != 0)
        result += fmt::format("      doorbells pending {:#x}, enabled {:#x}\n", pending,
                              mask(doorbells.at("mask")));
    for (const json& window : partition.at("windows")) result += format_window(window);
    const auto reads = partition.at("window_read_misses").get<std::uint64_t>();
    const auto writes = partition.at("window_write_misses").get<std::uint64_t>();
    if (reads + writes > 0)
        result += fmt::format("      accesses outside of windows: {} read{}, {} write{}\n", reads,
                              reads == 1 ? "" : "s", writes, writes == 1 ? "" : "s");
    return result;
}

}  // namespace

Result<std::string> format_inspection(const std::string& document) {
    try {
        std::string result;
        const json inspection = json::parse(document);
        for (const json& sw : inspection.at("switches")) {
            result += fmt::format("switch {} ({:04x}:{:04x})\n", sw.at("name").get<std::string>(),
                                  sw.at("vendor_id").get<unsigned>(), sw.at("device_id").get<unsigned>());
            for (const json& partition : sw.at("partitions")) result += format_partition(partition);
        }
        return result;
    } catch (const std::exception& error) {
        return fail(fmt::format("the fabric's answer cannot be understood ({}); --json prints it as it is",
                                error.what()));
    }
}

}  // namespace ntblab::lab
