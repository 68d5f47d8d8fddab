// SPDX-License-Identifier: MIT
// A timeline that ui.perfetto.dev shows, in the JSON trace event format: a process for each host, link and
// switch; slices for what is on a wire and for what a TLP spends its time with; arrows along its way;
// counters.
//
//     PerfettoWriter writer(std::move(*OutputFile::create("run.json")));
//     writer.begin(system);
//     system.observe(&writer);
//     simulation.run();
//     if (auto done = writer.finish(); !done) ...
//
// Times are microseconds with six digits, as the format has them; `begin_ps` and `end_ps` of a slice are
// exact.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "output_file.h"
#include "pcie/system.h"
#include "time_order.h"

namespace ntblab::sim {

class PerfettoWriter : public pcie::Observer {
  public:
    explicit PerfettoWriter(OutputFile file);
    ~PerfettoWriter() override;

    /// Gives what is in a system its processes and tracks, before the first TLP.
    void begin(pcie::System& system);

    void queued(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp, pcie::Picoseconds from) override;
    void sent(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp,
              const pcie::TlpOnWire& wire) override;
    void sent(const pcie::Link& link, unsigned side, const pcie::Dllp& dllp,
              const pcie::DllpOnWire& wire) override;
    void skipped(const pcie::Link& link, unsigned side, pcie::Picoseconds begin,
                 pcie::Picoseconds end) override;
    void stalled(const pcie::Link& link, unsigned side, pcie::StallCause cause,
                 pcie::Picoseconds at) override;
    void resumed(const pcie::Link& link, unsigned side, pcie::Picoseconds at) override;
    void spent(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Part part,
               pcie::Picoseconds begin, pcie::Picoseconds end) override;
    void ended(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Picoseconds at) override;

    /// Errors: as OutputFile::finish().
    Result<void> finish();

  private:
    struct Track {
        unsigned process = 0;
        unsigned thread = 0;  ///< Of no other process, as the viewer knows threads by this alone.
    };
    struct Direction {
        Track wire, dllps, stalls;
        std::string name;
        pcie::CreditLimits credits{};
        std::int64_t queue = 0;
        pcie::StallCause cause{};
        pcie::Picoseconds stalled_since = pcie::kNever;
    };
    /// Slices of a module that overlap are on tracks of their own.
    struct Lane {
        Track track;
        pcie::Picoseconds free = 0;
    };
    struct Module {
        unsigned process = 0;
        std::string name;
        std::vector<Lane> lanes;
    };
    /// A change of a counter, which is worked out when its time has come.
    struct Count {
        Direction* direction;
        std::size_t credit;  ///< Class and kind, as in kCreditNames; kQueue for the queue.
        std::int64_t change;
    };

    unsigned add_process(const std::string& name);
    Track add_track(unsigned process, const std::string& name);
    void add_module(const sc_core::sc_module& module, unsigned process);
    Direction* find(const pcie::Link& link, unsigned side);
    Track& lane(Module& module, pcie::Picoseconds begin, pcie::Picoseconds end);
    void slice(const Track& track, const std::string& name, const char* category, pcie::Picoseconds begin,
               pcie::Picoseconds end, nlohmann::ordered_json args);
    void follow(const pcie::Tlp& tlp, const Track& track, pcie::Picoseconds at);
    void flow(const char* phase, std::uint64_t id, const Track& track, pcie::Picoseconds at);
    void count(pcie::Picoseconds at, Direction& direction, std::size_t credit, std::int64_t change);
    void flush(pcie::Picoseconds until);
    void write(const nlohmann::ordered_json& event);

    OutputFile file_;
    bool first_ = true;
    unsigned processes_ = 0, threads_ = 0;
    std::map<const pcie::Link*, std::array<Direction, 2>> links_;
    std::map<const sc_core::sc_module*, Module> modules_;
    std::unordered_set<std::uint64_t> under_way_;  ///< Serials.
    TimeOrder<Count> counts_;
};

}  // namespace ntblab::sim
