// SPDX-License-Identifier: MIT
#include "pcie/ethernet_link.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace ntblab::pcie {

class EthernetLink::Direction : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    Direction(sc_core::sc_module_name name, const EthernetLink& link, const EthernetConfig& config,
              std::uint64_t seed)
        : sc_module(name),
          in("in", *this, 0),
          out("out", *this, 0),
          link_(link),
          config_(config),
          random_(seed),
          lost_(config.loss) {}

    TlpTarget in;
    TlpInitiator out;
    EthernetStatistics statistics;
    Observer* observer = nullptr;

  private:
    /// How long so many bytes take.
    Picoseconds span(std::uint64_t bytes) const {
        return static_cast<Picoseconds>(std::llround(8000.0 * static_cast<double>(bytes) / config_.gigabits));
    }

    /// Sends a frame when the wire is free. @return when it has arrived whole. What it is sent again for
    /// takes wire time at once, as if later frames had let it go first.
    Picoseconds send_frame(std::uint32_t payload, Picoseconds ready) {
        const std::uint64_t bytes = payload + config_.overhead;
        free_ = std::max(ready, free_) + span(bytes);
        Picoseconds arrives = free_ + config_.latency;
        count_frame(bytes);
        while (lost_(random_)) {
            ++statistics.lost;
            count_frame(bytes);
            free_ += span(bytes);
            arrives += config_.retransmit;
        }
        return arrives;
    }

    void count_frame(std::uint64_t bytes) {
        ++statistics.frames;
        statistics.wire_bytes += bytes;
        statistics.busy += span(bytes);
    }

    // Who is told that a buffer is free may send the next TLP at once: it has its turn after this one.
    void receive(unsigned, Tlp& tlp) override {
        waiting_.push_back(&tlp);
        if (waiting_.size() > 1) return;
        while (!waiting_.empty()) {
            relay(*waiting_.front());
            waiting_.pop_front();
        }
    }

    void relay(Tlp& tlp) {
        const Picoseconds ready = std::max(tlp.ready, now());
        const Picoseconds begins = std::max(ready, free_);
        Picoseconds arrived = 0;
        std::uint32_t left = payload_bytes(tlp);
        ++statistics.tlps;
        statistics.payload_bytes += left;
        do {
            const std::uint32_t part = std::min(left, config_.mtu);
            arrived = std::max(arrived, send_frame(part, ready));
            left -= part;
        } while (left > 0);
        in.release(tlp, free_);
        delivered_ = std::max(delivered_, arrived);
        tell(observer, link_, tlp, Part::ethernet_queue, ready, begins);
        tell(observer, link_, tlp, Part::ethernet_wire, begins, free_);
        const Picoseconds expected = std::min(free_ + config_.latency, delivered_);
        tell(observer, link_, tlp, Part::ethernet_latency, free_, expected);
        tell(observer, link_, tlp, Part::retransmission, expected, delivered_);
        tlp.head = tlp.tail = tlp.ready = delivered_;
        out.send(tlp);
    }

    // What the other side does with its buffers is between the gateways' programs.
    void released(unsigned, Tlp&, Picoseconds) override {}

    const EthernetLink& link_;
    EthernetConfig config_;
    std::mt19937_64 random_;
    std::bernoulli_distribution lost_;
    std::deque<Tlp*> waiting_;
    Picoseconds free_ = 0;
    Picoseconds delivered_ = 0;  ///< The last one.
};

EthernetLink::EthernetLink(sc_core::sc_module_name name, const EthernetConfig& config) : sc_module(name) {
    if (!(config.gigabits > 0) || config.mtu == 0)
        throw std::invalid_argument("an Ethernet link has a rate, and an MTU of a byte at least");
    if (!(config.loss >= 0 && config.loss < 1))
        throw std::invalid_argument("a loss is from 0 to less than 1");
    for (const unsigned side : {0U, 1U})
        directions_[side] =
            std::make_unique<Direction>(side == 0 ? "from0" : "from1", *this, config, config.seed * 2 + side);
}

EthernetLink::~EthernetLink() = default;

TlpTarget& EthernetLink::in(unsigned side) {
    return directions_.at(side)->in;
}
TlpInitiator& EthernetLink::out(unsigned side) {
    return directions_.at(1 - side)->out;
}
void EthernetLink::observe(Observer* observer) {
    for (const auto& direction : directions_) direction->observer = observer;
}
const EthernetStatistics& EthernetLink::statistics(unsigned side) const {
    return directions_.at(side)->statistics;
}

}  // namespace ntblab::pcie
