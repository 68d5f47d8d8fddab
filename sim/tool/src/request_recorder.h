// SPDX-License-Identifier: MIT
// Keeps the requests that CPUs make in a run, as a trace (trace_file.h): replayed, they arrive when they did.
//
//     RequestRecorder recorder(system);
//     system.observe(&recorder);
//     simulation.run();
//     write_file("requests.csv", trace_text(recorder.requests(), topology));
#pragma once

#include "pcie/observer.h"
#include "pcie/system.h"
#include "trace_file.h"

namespace ntblab::sim {

class RequestRecorder : public pcie::Observer {
  public:
    /// Of a system whose hosts have an egress latency: it is there that requests are seen.
    explicit RequestRecorder(const pcie::System& system) : system_(system) {}

    void spent(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Part part,
               pcie::Picoseconds begin, pcie::Picoseconds end) override;

    /// In the order of time.
    std::vector<TraceRequest> requests() const;

  private:
    const pcie::System& system_;
    std::vector<TraceRequest> requests_;
};

}  // namespace ntblab::sim
