// SPDX-License-Identifier: MIT
#include "trace_options.h"

namespace ntblab::sim {

std::shared_ptr<TraceOptions> add_trace_options(CLI::App& command, Outputs& outputs) {
    const auto options = std::make_shared<TraceOptions>();
    const auto add = [&](const char* name, std::optional<std::filesystem::path>& path, const char* meaning) {
        outputs
            .add(command, name, OutputKind::trace, meaning,
                 [options, &path](const std::string& text) { path = text; })
            ->group("Traces");
    };
    add("--vcd", options->vcd, "Value change dump of a link, as GTKWave shows it");
    add("--perfetto", options->perfetto, "Timeline of all that happens, as ui.perfetto.dev shows it");
    add("--pcapng", options->pcapng, "TLPs of all links, as Wireshark shows them");
    command.add_option("--link", options->link, "The link of the VCD, and the only one of the pcapng")
        ->group("Traces");
    return options;
}

Result<void> check_trace_options(const TraceOptions& options) {
    if (options.link.empty() || options.vcd || options.pcapng) return {};
    return fail("--link says which link --vcd and --pcapng show: give one of these, too");
}

}  // namespace ntblab::sim
