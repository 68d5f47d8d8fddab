// SPDX-License-Identifier: MIT
#include "traffic.h"

namespace ntblab::sim {
namespace {

using pcie::Access;
using pcie::Picoseconds;
using pcie::Tlp;

/// Of a ping-pong's way back.
constexpr std::uint64_t kBack = std::uint64_t{1} << 39;

class Pio : public MemoryTraffic {
  public:
    Pio(const Parts& parts, const Flow& flow, std::size_t index, const Workload& workload,
        TrafficListener& listener)
        : MemoryTraffic(index, workload, listener), parts_(parts), flow_(flow) {}

    void begin(std::uint64_t transfer, std::uint64_t bytes) override {
        switch (operation_) {
            case Operation::pio_read:
                cpu(flow_.from)
                    .start({Access::Kind::load, window(flow_.from, flow_.to) + offset(transfer, bytes), bytes,
                            base_ + transfer},
                           [this, transfer](Picoseconds at) { done(transfer, at); });
                break;
            case Operation::doorbell:
                store(flow_.from, flow_.to, transfer, bytes, pcie::kInterruptSpace);
                break;
            default:
                store(flow_.from, flow_.to, transfer, bytes, offset(transfer, bytes));
                break;
        }
    }

    void written(std::size_t node, const Tlp& tlp, Picoseconds visible) override {
        if (is_interrupt(tlp) != (operation_ == Operation::doorbell)) return;
        const std::uint64_t tag = tlp.cookie - base_;
        if (!outstanding_.seen(tag, tlp.length)) return;
        const std::uint64_t transfer = tag & ~kBack;
        if (operation_ != Operation::pio_pingpong) {
            listener_.finished(transfer, visible);
        } else if ((tag & kBack) == 0) {
            const std::uint64_t bytes = bytes_of_.at(transfer);
            parts_.timeline.at(visible, [this, node, transfer, bytes] {
                store(node, flow_.from, transfer | kBack, bytes, 0);
            });
        } else {
            bytes_of_.erase(transfer);
            done(transfer, visible);
        }
    }

  private:
    pcie::Cpu& cpu(std::size_t node) { return *parts_.system.host(node).cpu; }
    std::uint64_t window(std::size_t node, std::size_t peer) const {
        return parts_.system.window(*parts_.system.endpoint(node, peer));
    }

    void store(std::size_t node, std::size_t peer, std::uint64_t tag, std::uint64_t bytes,
               std::uint64_t address) {
        outstanding_.begin(tag, bytes);
        if (operation_ == Operation::pio_pingpong) bytes_of_[tag & ~kBack] = bytes;
        cpu(node).start(
            {operation_ == Operation::doorbell ? Access::Kind::store_uncached : Access::Kind::store_combined,
             window(node, peer) + address, bytes, base_ + tag},
            [this, tag](Picoseconds at) {
                if (operation_ != Operation::pio_pingpong) listener_.released(tag, at);
            });
    }

    Parts parts_;
    Flow flow_;
    std::map<std::uint64_t, std::uint64_t> bytes_of_;  ///< Ping-pongs under way.
};

}  // namespace

std::unique_ptr<Traffic> make_pio(const Parts& parts, const Flow& flow, std::size_t index,
                                  const Workload& workload, TrafficListener& listener) {
    return std::make_unique<Pio>(parts, flow, index, workload, listener);
}

}  // namespace ntblab::sim
