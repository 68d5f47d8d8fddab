// SPDX-License-Identifier: MIT
// What the devices switchtec-ntb and switchtec-dma report while they are traced, a line of QEMU's log each.
//
//     if (const auto event = parse_trace_line(line)) use(event->kind, event->fields["offset"]);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ntblab::lab {

struct TraceEvent {
    std::int64_t microseconds = 0;  ///< Since 1970.
    std::string
        name;  ///< As in QEMU, without "switchtec_ntb_" or "switchtec_": "gas_write", "dma_descriptor".
    std::string kind;    ///< Among trace_kinds().
    std::string device;  ///< Id in its machine: "ntb0", an NT endpoint; "dma0", the DMA engine beside it.
    std::string text;    ///< What follows, as QEMU wrote it.
    /// The values in it by the names that QEMU gives them; those that are written in hexadecimal begin with
    /// "0x". Empty for an event that is not known here.
    std::map<std::string, std::string> fields;

    /// 0 if there is no such field, or it is no number.
    std::uint64_t number(const std::string& field) const;
};

/// nullopt: the line is no event of the device.
std::optional<TraceEvent> parse_trace_line(const std::string& line);

/// What a user may ask for.
const std::vector<std::string>& trace_kinds();

/// Names (patterns, with "*") of the trace events that QEMU must have on for events of these kinds.
std::vector<std::string> trace_events_for(const std::vector<std::string>& kinds);

/// How an event's text is built: words, and {FIELD}, or {FIELD:x} for one in hexadecimal.
struct TraceShape {
    std::string_view name, kind, format;
};

/// All that are known, for tests.
const std::vector<TraceShape>& trace_shapes();

}  // namespace ntblab::lab
