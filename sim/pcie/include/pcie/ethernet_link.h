// SPDX-License-Identifier: MIT
// The Ethernet between two gateways: what they relay for their clusters, in frames, in order, and again if
// one was lost.
//
//     EthernetLink link("wan", EthernetConfig{.gigabits = 100, .latency = nanoseconds(5000)});
//     gateway.out.bind(link.in(0));  link.out(0).bind(gateway.in);     // side 0; side 1 likewise
//
// Relayed TLPs go one after the other, whatever their class: that keeps PCIe's order without further rules. A
// lost frame is sent again `retransmit` after it was sent first, and holds up what comes after it (a relay
// that delivers in order).
#pragma once

#include <array>
#include <memory>

#include "pcie/observer.h"
#include "pcie/sockets.h"

namespace ntblab::pcie {

struct EthernetConfig {
    double gigabits = 100;                    ///< Each way.
    Picoseconds latency = nanoseconds(2000);  ///< From the last bit sent to the gateway's program, one way.
    unsigned mtu = 1500;                      ///< Bytes of a frame's payload.
    /// Beside it: preamble, header, FCS, gap (38); IPv4 and UDP (28); the relay's own (32).
    unsigned overhead = 98;
    double loss = 0;  ///< Of a frame, independently of others.
    Picoseconds retransmit = nanoseconds(200'000);
    std::uint64_t seed = 1;
};

struct EthernetStatistics {
    std::uint64_t tlps = 0, payload_bytes = 0;
    std::uint64_t frames = 0, lost = 0;  ///< Sent, with those that were lost.
    std::uint64_t wire_bytes = 0;
    Picoseconds busy = 0;
};

class EthernetLink : public sc_core::sc_module {
  public:
    /// @throw std::invalid_argument for a rate or MTU of 0, or a loss that is not below 1.
    EthernetLink(sc_core::sc_module_name name, const EthernetConfig& config);
    ~EthernetLink() override;

    TlpTarget& in(unsigned side);
    TlpInitiator& out(unsigned side);
    /// Null: nobody. It is told where TLPs spend their time; the way of none ends here.
    void observe(Observer* observer);
    /// Of what `side` sends.
    const EthernetStatistics& statistics(unsigned side) const;

  private:
    class Direction;
    std::array<std::unique_ptr<Direction>, 2> directions_;
};

}  // namespace ntblab::pcie
