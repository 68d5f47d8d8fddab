// SPDX-License-Identifier: MIT
// A PCIe link between two ports, with all that is between their transaction layers: for each direction the
// transmit queue (egress_queue.h), flow control, the replay buffer, the wire, and the receive buffer that
// credits stand for.
//
//     Link link("link", LinkConfig{});
//     device.out.bind(link.in(0));  link.out(0).bind(device.in);       // side 0
//     port.out.bind(link.in(1));    link.out(1).bind(port.in);         // side 1
//
// On the wire, in this order: skip ordered sets, DLLPs, TLPs that are sent again, other TLPs. A TLP is
// announced at out() when its transmission begins. The device at in() hears (TlpSender::released) when its
// last byte has left.
#pragma once

#include <memory>

#include "pcie/credits.h"
#include "pcie/encoding.h"
#include "pcie/observer.h"
#include "pcie/sockets.h"
#include "pcie/statistics.h"

namespace ntblab::pcie {

/// What one port of the link is: how it receives, and how it sends.
struct LinkSide {
    CreditLimits credits{};               ///< That it advertises.
    unsigned max_payload = 4096;          ///< Bytes: Max_Payload_Size Supported.
    std::uint32_t replay_buffer = 16384;  ///< Bytes of TLPs that it has sent and that are not acknowledged.
    std::vector<unsigned> weights{1};     ///< Of the flows that it sends: EgressQueue.
    Picoseconds transmit_delay = 0;       ///< From its transaction layer to the wire,
    Picoseconds receive_delay = 0;        ///< and back.
};

struct LinkConfig {
    unsigned generation = 4;
    unsigned lanes = 16;
    unsigned mps = 256;           ///< Bytes: how often acknowledgements and UpdateFCs are due.
    Picoseconds propagation = 0;  ///< Cable, traces, retimers; one way.
    double bit_error_rate = 0;
    std::uint64_t seed = 1;  ///< Of the errors.
    std::array<LinkSide, 2> sides{};
};

/// Of one direction. Times in picoseconds.
struct LinkStatistics {
    std::uint64_t tlps = 0;       ///< That have begun, without those that are sent again.
    std::uint64_t tlp_bytes = 0;  ///< On the wire, likewise.
    std::uint64_t payload_bytes = 0;
    std::uint64_t delivered = 0;        ///< TLPs,
    std::uint64_t delivered_bytes = 0;  ///< and their bytes on the wire.
    std::uint64_t replayed = 0;         ///< TLPs that were sent again.
    std::uint64_t replayed_bytes = 0;
    std::uint64_t acknowledgements = 0, rejections = 0, credit_updates = 0;  ///< DLLPs that have begun.
    std::uint64_t corrupted = 0;                                             ///< TLPs and DLLPs.
    std::uint64_t skips = 0;
    Ticks busy = 0;  ///< Anything but idle symbols; in 1/1024 ps.
    Stalls stalls;
    Histogram queue;  ///< TLPs that wait, when one more comes.
};

class Link : public sc_core::sc_module {
  public:
    /// @throw std::invalid_argument for a generation or width that there is not, no lanes, an MPS above a
    /// port's, credits for less than one TLP of it, a replay buffer smaller than that.
    Link(sc_core::sc_module_name name, const LinkConfig& config);
    ~Link() override;

    /// What `side` sends into, and where it receives.
    TlpTarget& in(unsigned side);
    TlpInitiator& out(unsigned side);

    const LinkConfig& config() const { return config_; }
    const Encoding& encoding() const;
    /// Of what `side` sends.
    const LinkStatistics& statistics(unsigned side) const;
    /// Null: nobody.
    void observe(Observer* observer);
    /// Nothing queued, nothing unacknowledged, and all credits that `side` has had are back.
    bool at_rest(unsigned side) const;

  private:
    class Direction;
    LinkConfig config_;
    std::array<std::unique_ptr<Direction>, 2> directions_;
};

}  // namespace ntblab::pcie
