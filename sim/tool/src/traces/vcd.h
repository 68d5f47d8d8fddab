// SPDX-License-Identifier: MIT
// A value change dump (IEEE 1364, 18) of one link, in picoseconds: for each direction what is on the wire,
// why something that is there to be sent is not, and what its sender has of credits. Signals: kSignals in
// vcd.cpp.
//
//     VcdWriter writer(*system.links()[0], std::move(*OutputFile::create("link.vcd")));
//     system.observe(&writer);
//     simulation.run();
//     if (auto done = writer.finish(); !done) ...
#pragma once

#include <array>

#include "output_file.h"
#include "pcie/link.h"
#include "time_order.h"

namespace ntblab::sim {

class VcdWriter : public pcie::Observer {
  public:
    static constexpr std::size_t kSignals = 20;  ///< Of a direction.

    VcdWriter(const pcie::Link& link, OutputFile file);

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

    /// Errors: as OutputFile::finish().
    Result<void> finish();

  private:
    struct Change {
        std::size_t signal;   ///< Of both directions.
        bool relative;        ///< To be added.
        std::uint64_t value;  ///< Of its negative, the two's complement.
    };
    struct Signal {
        std::uint64_t value = 0;
        std::uint64_t written = 0;
    };

    void header();
    void set(pcie::Picoseconds at, unsigned side, std::size_t signal, std::uint64_t value);
    void add(pcie::Picoseconds at, unsigned side, std::size_t signal, std::int64_t value);
    void take_credits(unsigned side, const pcie::Tlp& tlp, pcie::Picoseconds at);
    void flush(pcie::Picoseconds until);
    void write_changes();

    const pcie::Link& link_;
    OutputFile file_;
    TimeOrder<Change> changes_;
    std::array<Signal, 2 * kSignals> signals_{};
    std::vector<std::size_t> touched_;  ///< At time_.
    pcie::Picoseconds time_ = 0;
};

}  // namespace ntblab::sim
