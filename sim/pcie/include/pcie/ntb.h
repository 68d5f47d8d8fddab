// SPDX-License-Identifier: MIT
// The NT function of a partition: between its host's link and the switch. Requests of the host leave with the
// address that a window translates to and with a requester ID that stands for their sender; completions find
// it by that again.
//
//     Ntb ntb("ntb", NtbConfig{.partition = 0, .windows = {{.base = bar, .size = 64 << 20, .peer = 1, .target
//     = 0}}}); link.out(1).bind(ntb.from_host());      ntb.to_host().bind(link.in(1));
//     ntb.to_fabric().bind(sw.in(0));         sw.out(0).bind(ntb.from_fabric());
//
// A request to no window, or of a requester that the table has no room for, is an Unsupported Request: a
// write is lost, a read is answered so.
#pragma once

#include <array>
#include <vector>

#include "pcie/observer.h"
#include "pcie/sockets.h"
#include "pcie/statistics.h"

namespace ntblab::pcie {

/// A part of the host's address space behind which is a part of the peer's.
struct NtbWindow {
    std::uint64_t base = 0;
    std::uint64_t size = 0;    ///< Bytes.
    std::uint16_t peer = 0;    ///< Partition.
    std::uint64_t target = 0;  ///< Address there.
};

struct NtbConfig {
    std::uint16_t partition = 0;
    std::vector<NtbWindow> windows;  ///< Do not overlap.
    unsigned requester_ids = 32;     ///< Entries of its requester ID table, at most 256.
    Picoseconds translation = 0;     ///< Latency of a request, and of a completion on its way back.
};

/// Of what comes from the host, or from the fabric. An NTB holds up nothing: what waits behind it does so in
/// the queue of the next link, whose stalls say why.
struct NtbDirectionStatistics {
    std::uint64_t tlps = 0, payload_bytes = 0;
    BusyTime busy;    ///< A TLP passes: from its first byte in to its last byte out.
    Histogram queue;  ///< TLPs that have come and not left the next link, when one more comes.
};

struct NtbStatistics {
    std::uint64_t translated = 0;
    std::uint64_t unsupported = 0;
    NtbDirectionStatistics from_host, from_fabric;
};

class Ntb : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    Ntb(sc_core::sc_module_name name, const NtbConfig& config, TlpPool& pool);

    TlpTarget& from_host() { return from_host_; }
    TlpInitiator& to_host() { return to_host_; }
    TlpTarget& from_fabric() { return from_fabric_; }
    TlpInitiator& to_fabric() { return to_fabric_; }

    /// Null: nobody.
    void observe(Observer* observer) { observer_ = observer; }
    const NtbStatistics& statistics() const { return statistics_; }

    /// Whose requests have this ID at a peer: the partition in the upper byte, the entry of its table in the
    /// lower.
    static constexpr std::uint16_t proxy(unsigned partition, unsigned entry) {
        return static_cast<std::uint16_t>(partition << 8 | entry);
    }

  private:
    enum Port : unsigned { kHost, kFabric };

    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;
    NtbDirectionStatistics& from(unsigned port) {
        return port == kHost ? statistics_.from_host : statistics_.from_fabric;
    }
    bool translate(Tlp& request);
    void refuse(Tlp& request);

    NtbConfig config_;
    TlpPool& pool_;
    Observer* observer_ = nullptr;
    std::vector<std::uint16_t> requesters_;  ///< By their entries.
    std::array<std::uint32_t, 2> inside_{};  ///< TLPs that came in by a port, and have not left.
    NtbStatistics statistics_;
    TlpTarget from_host_{"from_host", *this, kHost};
    TlpInitiator to_host_{"to_host", *this, kHost};
    TlpTarget from_fabric_{"from_fabric", *this, kFabric};
    TlpInitiator to_fabric_{"to_fabric", *this, kFabric};
};

}  // namespace ntblab::pcie
