// SPDX-License-Identifier: MIT
#include "trace_event.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <set>

namespace ntblab::lab {
namespace {

constexpr std::string_view kNtb = "switchtec_ntb_", kSwitchtec = "switchtec_", kDma = "switchtec_dma_";
constexpr std::uint64_t kMrpcEnd = 0x1000;  // the first region of the GAS, of every generation

using Fields = std::map<std::string, std::string>;

/// The text that fits the format, taken apart; nullopt if it does not fit.
std::optional<Fields> take_apart(std::string_view text, std::string_view format) {
    Fields result;
    while (!format.empty()) {
        const std::size_t open = format.find('{');
        const std::string_view words = format.substr(0, open);
        if (text.substr(0, words.size()) != words) return std::nullopt;
        text.remove_prefix(words.size());
        if (open == std::string_view::npos) break;
        const std::size_t close = format.find('}', open);
        std::string_view field = format.substr(open + 1, close - open - 1);
        format.remove_prefix(close + 1);
        // A value goes to where the words after it begin.
        const std::string_view after = format.substr(0, format.find('{'));
        const std::size_t end = after.empty() ? text.size() : text.find(after);
        if (end == std::string_view::npos || end == 0) return std::nullopt;
        const bool hexadecimal = field.ends_with(":x");
        if (hexadecimal) field.remove_suffix(2);
        result[std::string(field)] = (hexadecimal ? "0x" : "") + std::string(text.substr(0, end));
        text.remove_prefix(end);
    }
    if (!text.empty()) return std::nullopt;
    return result;
}

}  // namespace

// Of qemu-ntb-device/qemu/hw/trace-events, as trace_event_test.cpp checks.
const std::vector<TraceShape>& trace_shapes() {
    static const std::vector<TraceShape> shapes = {
        {"gas_read", "register", "0x{offset:x} {name} size {size}: 0x{value:x}"},
        {"gas_write", "register", "0x{offset:x} {name} size {size} = 0x{value:x}"},
        {"doorbell", "doorbell", "rings 0x{bits:x}"},
        {"message", "message", "sends message {index}: 0x{message:x}"},
        {"window_map", "window", "BAR{bar} 0x{offset:x} size 0x{size:x} -> partition {target} 0x{address:x}"},
        {"window_unmap", "window",
         "BAR{bar} 0x{offset:x} size 0x{size:x} -> partition {target} 0x{address:x}"},
        {"window_access", "window", "{what} of unmapped BAR{bar} 0x{offset:x} size {size}"},
        {"access", "window",
         "partition {source} as {slot:x}.{function:x}: {what} of 0x{address:x} size {size}: 0x{value:x}, "
         "result 0x{result:x}"},
        {"dma_write", "mrpc", "0x{address:x} size {size}: result {result}"},
        {"interrupt", "interrupt", "vector {vector} by {how}"},
        {"reset", "device", ""},
        {"bus_master", "device", "{enabled}"},
        {"requester_id", "device", "{bus:x}:{slot:x}.{function:x}"},
        {"ram", "device",
         "for partitions 0x{viewers:x}: 0x{address:x} size 0x{size:x} is fd {fd} at 0x{fd_offset:x}"},
        {"iommu", "device", "for partitions 0x{viewers:x}: {translates}"},
        {"iommu_unmap", "device", "for partitions 0x{viewers:x}: 0x{first:x} to 0x{last:x}"},
        {"lost", "device", "{reason}"},
        {"dma_bar_read", "dma", "0x{offset:x} {name} size {size}: 0x{value:x}"},
        {"dma_bar_write", "dma", "0x{offset:x} {name} size {size} = 0x{value:x}"},
        {"dma_descriptor", "dma",
         "channel {channel} id {id} opcode {opcode} control 0x{control:x}: 0x{source:x} -> 0x{destination:x} "
         "size "
         "0x{count:x}, completed 0x{completed:x}, status 0x{status:x}"},
        {"dma_interrupt", "dma", "vector {vector}"},
        {"dma_reset", "dma", ""},
    };
    return shapes;
}

const std::vector<std::string>& trace_kinds() {
    static const std::vector<std::string> kinds = {"register", "mrpc",      "doorbell", "message",
                                                   "window",   "interrupt", "device",   "dma"};
    return kinds;
}

std::vector<std::string> trace_events_for(const std::vector<std::string>& kinds) {
    const auto wanted = [&](std::string_view kind) { return std::ranges::count(kinds, kind) > 0; };
    // Also those that are not known here.
    if (std::ranges::all_of(trace_kinds(), wanted)) return {std::string(kNtb) + "*", std::string(kDma) + "*"};
    std::vector<std::string> result;
    for (const TraceShape& shape : trace_shapes())
        if (wanted(shape.kind) || (shape.kind == "register" && wanted("mrpc")))
            result.push_back(std::string(shape.kind == "dma" ? kSwitchtec : kNtb) + std::string(shape.name));
    return result;
}

std::uint64_t TraceEvent::number(const std::string& field) const {
    const auto found = fields.find(field);
    if (found == fields.end()) return 0;
    std::string_view digits = found->second;
    const bool hexadecimal = digits.starts_with("0x");
    if (hexadecimal) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
    return error == std::errc{} && stop == end ? value : 0;
}

std::optional<TraceEvent> parse_trace_line(const std::string& line) {
    // THREAD@SECONDS.MICROSECONDS:EVENT DEVICE[: TEXT] (QEMU's log backend with -msg timestamp=on)
    std::int64_t seconds = 0;
    std::int64_t microseconds = 0;
    int begin = 0;
    if (std::sscanf(line.c_str(), "%*d@%" SCNd64 ".%6" SCNd64 ":%n", &seconds, &microseconds, &begin) != 2 ||
        begin == 0)
        return std::nullopt;
    std::string_view rest = std::string_view(line).substr(static_cast<std::size_t>(begin));
    if (!rest.starts_with(kNtb) && !rest.starts_with(kDma)) return std::nullopt;
    rest.remove_prefix((rest.starts_with(kNtb) ? kNtb : kSwitchtec).size());
    TraceEvent event;
    event.microseconds = seconds * 1'000'000 + microseconds;
    event.kind = "device";
    const std::size_t space = std::min(rest.find(' '), rest.size());
    event.name = rest.substr(0, space);
    rest.remove_prefix(std::min(space + 1, rest.size()));
    const std::size_t colon = std::min(rest.find(": "), rest.size());
    event.device = rest.substr(0, colon);
    event.text = rest.substr(std::min(colon + 2, rest.size()));
    const auto shape = std::ranges::find(trace_shapes(), event.name, &TraceShape::name);
    if (shape != trace_shapes().end())
        if (auto fields = take_apart(event.text, shape->format)) {
            event.fields = std::move(*fields);
            event.kind = shape->kind;
        }
    if (event.kind == "register" && event.number("offset") < kMrpcEnd) event.kind = "mrpc";
    return event;
}

}  // namespace ntblab::lab
