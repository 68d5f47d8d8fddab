// SPDX-License-Identifier: MIT
// What a run is to leave for other programs to show, as its command line has it.
//
//     auto traces = Traces::create({.perfetto = "run.json", .link = "sw0_0_link"}, system);
//     if (!traces) return complain(traces.error().message, kUsage);
//     simulation.run();
//     if (auto done = (*traces)->finish(); !done) return complain(done.error().message, kFailure);
//
// A file that cannot be written pauses the simulation (sc_pause): run() returns, and finish() says why.
#pragma once

#include <memory>
#include <optional>

#include "pcapng.h"
#include "pcie/system.h"
#include "perfetto.h"
#include "vcd.h"

namespace ntblab::sim {

struct TraceOptions {
    std::optional<std::filesystem::path> vcd{}, perfetto{}, pcapng{};
    std::string link{};  ///< Of the VCD, and the only one of the pcapng; "": the first, and all.

    bool any() const { return vcd || perfetto || pcapng; }
};

class Traces {
  public:
    /// Watches the system from now on, in place of who did before. Errors: a file that cannot be written; a
    /// link that there is not.
    static Result<std::unique_ptr<Traces>> create(const TraceOptions& options, pcie::System& system);

    Traces(const Traces&) = delete;
    Traces& operator=(const Traces&) = delete;

    /// To put others beside these.
    pcie::Observers& observers() { return observers_; }
    /// After the run. Errors: the first file that is not all there; those that are not are removed.
    Result<void> finish();

  private:
    explicit Traces(pcie::System& system) : system_(system) {}
    Result<void> open(const TraceOptions& options);

    pcie::System& system_;
    pcie::Observers observers_;
    std::unique_ptr<VcdWriter> vcd_;
    std::unique_ptr<PerfettoWriter> perfetto_;
    std::unique_ptr<PcapngWriter> pcapng_;
};

}  // namespace ntblab::sim
