// SPDX-License-Identifier: MIT
// A PCIe switch: TLPs that come in at a port leave by the port that the route gives, into whose link's
// transmit queue they go as the flow of their ingress port. There the egress arbitrates (LinkSide::weights,
// one for each port).
//
//     Switch sw("sw", SwitchConfig{.ports = 2}, [](const Tlp& tlp) { return tlp.flow == 0 ? 1U : 0U; });
//     link.out(1).bind(sw.in(0));  sw.out(0).bind(link.in(1));
//
// Cut-through: the first byte leaves `latency` after it came, or later, so that the last one is never late at
// a faster egress. A TLP's ingress buffer is free when its last byte has left.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pcie/encoding.h"
#include "pcie/observer.h"
#include "pcie/sockets.h"
#include "pcie/statistics.h"

namespace ntblab::pcie {

struct SwitchConfig {
    enum class Forwarding : std::uint8_t { cut_through, store_and_forward };
    /// Which TLPs of an ingress port an egress sees: all that are for it, or only the first of each class,
    /// whichever egress that is for (head-of-line blocking).
    enum class Queueing : std::uint8_t { per_egress, shared };

    unsigned ports = 2;
    Picoseconds latency = nanoseconds(120);
    Forwarding forwarding = Forwarding::cut_through;
    Queueing queueing = Queueing::per_egress;
};

struct SwitchPortStatistics {
    std::uint64_t tlps = 0;  ///< That came in.
    std::uint64_t payload_bytes = 0;
    Histogram buffered;  ///< TLPs of the ingress that have not left, when one more comes.
};

class Switch : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    /// The port by which a TLP leaves, which came in at port tlp.flow.
    using Route = std::function<unsigned(const Tlp& tlp)>;

    Switch(sc_core::sc_module_name name, const SwitchConfig& config, Route route);

    TlpTarget& in(unsigned port) { return ports_.at(port)->in; }
    TlpInitiator& out(unsigned port) { return ports_.at(port)->out; }
    /// Of the link at the port, before the first TLP.
    void set_encoding(unsigned port, const Encoding& encoding) { ports_.at(port)->encoding = encoding; }

    unsigned ports() const { return config_.ports; }
    /// Null: nobody.
    void observe(Observer* observer) { observer_ = observer; }
    const SwitchPortStatistics& statistics(unsigned port) const { return ports_.at(port)->statistics; }
    bool at_rest() const;

  private:
    struct Port {
        Port(Switch& owner, unsigned number);

        TlpTarget in;
        TlpInitiator out;
        Encoding encoding{4, 16};
        std::array<std::deque<Tlp*>, kFlowClasses> waiting;  ///< Shared queueing: behind the first.
        std::array<bool, kFlowClasses> first_is_out{};
        unsigned buffered = 0;
        SwitchPortStatistics statistics;
    };

    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;
    void forward(Tlp& tlp);

    SwitchConfig config_;
    Route route_;
    Observer* observer_ = nullptr;
    std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace ntblab::pcie
