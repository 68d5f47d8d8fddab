// SPDX-License-Identifier: MIT
// Options of commands that run something: what it is to leave for other programs to show.
#pragma once

#include <memory>

#include "outputs.h"
#include "traces/traces.h"

namespace ntblab::sim {

/// --vcd, --perfetto, --pcapng, --link. @return What they say, once the line is parsed.
std::shared_ptr<TraceOptions> add_trace_options(CLI::App& command, Outputs& outputs);

/// Errors: a link, and nothing that shows it.
Result<void> check_trace_options(const TraceOptions& options);

}  // namespace ntblab::sim
