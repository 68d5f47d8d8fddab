// SPDX-License-Identifier: MIT
#include "trace_text.h"

#include <fmt/format.h>
#include <switchtec/decode.h>
#include <switchtec/gas.h>

#include <array>
#include <charconv>

#include "text.h"

namespace ntblab::lab {
namespace {

std::string describe_access(unsigned generation, std::uint64_t offset, std::uint64_t size,
                            std::uint64_t value) {
    std::array<char, SWITCHTEC_TEXT_SIZE> text{};
    return switchtec_describe(generation, static_cast<std::uint32_t>(offset), static_cast<unsigned>(size),
                              value, text.data(), text.size());
}

/// Offset of a register of the endpoint's own block of doorbells and messages.
std::uint64_t own_block(unsigned partition, std::uint64_t offset) {
    return SwitchtecDoorbellsBase + partition * std::uint64_t{SwitchtecDoorbellsStride} + offset;
}

std::string window(const TraceEvent& event) {
    return fmt::format("BAR{} +{:#x}, {} -> partition {}, bus address {:#x}", event.number("bar"),
                       event.number("offset"), human_size(event.number("size")), event.number("target"),
                       event.number("address"));
}

bool is_register(const TraceEvent& event) {
    return event.name == "gas_read" || event.name == "gas_write";
}

}  // namespace

const topology::Endpoint* TraceText::endpoint(const TraceEvent& event) const {
    // The K-th endpoint of a node has the id ntbK, its DMA engine dmaK (qemu_command.cpp).
    std::size_t number = 0;
    if (!event.device.starts_with("ntb") && !event.device.starts_with("dma")) return nullptr;
    const char* const end = event.device.data() + event.device.size();
    const auto [stop, error] = std::from_chars(event.device.data() + 3, end, number);
    return error == std::errc{} && stop == end && number < endpoints_.size() ? &endpoints_[number] : nullptr;
}

double TraceText::seconds(const TraceEvent& event) const {
    return static_cast<double>(event.microseconds - start_) / 1e6;
}

std::string TraceText::describe(const TraceEvent& event) const {
    const topology::Endpoint* where = endpoint(event);
    const std::string as_it_is =
        event.text.empty() ? event.name : fmt::format("{} {}", event.name, event.text);
    if (where == nullptr || (event.fields.empty() && !event.text.empty())) return as_it_is;
    const unsigned generation = topology_.switches[where->sw].generation;
    if (is_register(event))
        return fmt::format(
            "{} {}", event.name == "gas_read" ? "read " : "write",
            describe_access(generation, event.number("offset"), event.number("size"), event.number("value")));
    if (event.name == "doorbell")
        return fmt::format("doorbell {}",
                           describe_access(generation, own_block(where->partition, SwitchtecOutDoorbell), 8,
                                           event.number("bits")));
    if (event.name == "message")
        return fmt::format(
            "message {}",
            describe_access(generation,
                            own_block(where->partition, SwitchtecOutMessage + 8 * event.number("index")), 4,
                            event.number("message")));
    if (event.name == "window_map") return fmt::format("window open {}", window(event));
    if (event.name == "window_unmap") return fmt::format("window closed {}", window(event));
    if (event.name == "window_access") return fmt::format("window {}", event.text);
    return as_it_is;
}

std::string TraceText::line(const TraceEvent& event) const {
    const topology::Endpoint* where = endpoint(event);
    const std::string place =
        where == nullptr ? event.device
                         : fmt::format("{}:{}", topology_.switches[where->sw].name, where->partition);
    return fmt::format("{:10.6f} {} {}", seconds(event), place, describe(event));
}

nlohmann::ordered_json TraceText::json(const TraceEvent& event) const {
    nlohmann::ordered_json result = {
        {"time", seconds(event)}, {"node", topology_.nodes[node_].name}, {"device", event.device}};
    const topology::Endpoint* where = endpoint(event);
    if (where != nullptr) {
        result["switch"] = topology_.switches[where->sw].name;
        result["partition"] = where->partition;
    }
    result["kind"] = event.kind;
    result["event"] = event.name;
    SwitchtecRegister reg{};
    if (where != nullptr && is_register(event) &&
        switchtec_decode(topology_.switches[where->sw].generation,
                         static_cast<std::uint32_t>(event.number("offset")), &reg)) {
        result["region"] = reg.region;
        if (reg.block >= 0) result["block"] = reg.block;
        result["register"] = reg.name;
    }
    result["fields"] = event.fields;
    result["text"] = describe(event);
    return result;
}

}  // namespace ntblab::lab
