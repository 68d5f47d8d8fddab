// SPDX-License-Identifier: MIT
// Options of commands that run something: what it is to leave for other programs to show.
#pragma once

#include <CLI/App.hpp>
#include <memory>

#include "traces/traces.h"

namespace ntblab::sim {

/// --vcd, --perfetto, --pcapng, --link. @return What they say, once the line is parsed.
inline std::shared_ptr<TraceOptions> add_trace_options(CLI::App& command) {
    const auto options = std::make_shared<TraceOptions>();
    const auto add = [&](const char* name, std::optional<std::filesystem::path>& path, const char* meaning) {
        command
            .add_option_function<std::string>(
                name, [options, &path](const std::string& text) { path = text; }, meaning)
            ->type_name("FILE")
            ->group("Traces");
    };
    add("--vcd", options->vcd, "Value change dump of a link, as GTKWave shows it");
    add("--perfetto", options->perfetto, "Timeline of all that happens, as ui.perfetto.dev shows it");
    add("--pcapng", options->pcapng, "TLPs of all links, as Wireshark shows them");
    command.add_option("--link", options->link, "The link of the VCD, and the only one of the pcapng")
        ->group("Traces");
    return options;
}

}  // namespace ntblab::sim
