// SPDX-License-Identifier: MIT
// TLPs as Wireshark reads them (draft-ietf-opsawg-pcapng): an interface for each direction of each link,
// times in picoseconds, link type USER0. A packet is what the link layer makes of a TLP: sequence number (2
// bytes), header; payload and LCRC (4 bytes) are not captured. wireshark/ntb-tlp.lua shows them.
//
//     PcapngWriter writer(std::move(*OutputFile::create("run.pcapng")));
//     system.observe(&writer);
//     simulation.run();
//     if (auto done = writer.finish(); !done) ...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "output_file.h"
#include "pcie/link.h"
#include "time_order.h"

namespace ntblab::sim {

/// The file's blocks.
class PcapngFile {
  public:
    struct Interface {
        std::string name, description;
        std::uint64_t bits_per_second = 0;
    };
    struct Packet {
        std::uint32_t interface = 0;        ///< In the order of add().
        std::vector<std::uint8_t> bytes{};  ///< Captured.
        std::uint32_t length = 0;           ///< On the wire.
        bool checksum_error = false;
        std::string comment{};  ///< "": none.
    };

    explicit PcapngFile(OutputFile file);

    void add(const Interface& interface);
    void add(const Packet& packet, pcie::Picoseconds at);
    /// Errors: as OutputFile::finish().
    Result<void> finish() { return file_.finish(); }

  private:
    OutputFile file_;
};

class PcapngWriter : public pcie::Observer {
  public:
    explicit PcapngWriter(OutputFile file) : file_(std::move(file)) {}

    /// Each link from which TLPs are wanted, before the first.
    void add(const pcie::Link& link);

    void sent(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp,
              const pcie::TlpOnWire& wire) override;
    using Observer::sent;

    /// Errors: as OutputFile::finish().
    Result<void> finish();

  private:
    void flush(pcie::Picoseconds until);

    PcapngFile file_;
    std::map<const pcie::Link*, std::uint32_t> interfaces_;  ///< Of side 0.
    TimeOrder<PcapngFile::Packet> packets_;
};

}  // namespace ntblab::sim
