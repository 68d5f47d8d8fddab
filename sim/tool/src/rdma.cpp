// SPDX-License-Identifier: MIT
// RDMA of a flow as RoPCIe's transport does it: packets of 4096 bytes, acknowledged at the end of each
// message and every 64 packets, at most 256 of them not acknowledged; a READ is answered by packets, not read
// (docs/ropcie.md).
#include <stdexcept>

#include "ropcie_links.h"
#include "traffic.h"

namespace ntblab::sim {
namespace {

using pcie::Picoseconds;

constexpr std::uint64_t kSegment = 4096;
constexpr std::uint64_t kAcknowledgeEvery = 64;
constexpr std::uint64_t kMostUnacknowledged = 256;

class Rdma : public Traffic {
  public:
    Rdma(const Parts& parts, const Flow& flow, const Workload& workload, TrafficListener& listener,
         const pcie::RdmaConfig& config)
        : timeline_(parts.timeline),
          links_(*parts.ropcie),
          flow_(flow),
          operation_(workload.operation),
          listener_(listener),
          config_(config) {}

    void begin(std::uint64_t transfer, std::uint64_t bytes) override {
        links_.work(flow_.from, config_.post, [this, transfer, bytes] {
            if (operation_ == Operation::rdma_read)
                links_.send(flow_.from, flow_.to, 0, [this, transfer, bytes] { answer(transfer, bytes); });
            else
                queue_message(transfer, bytes);
        });
    }

    void written(std::size_t, const pcie::Tlp&, Picoseconds) override {}

  private:
    struct Packet {
        std::uint64_t transfer, bytes;
        bool last;
    };

    template <typename Each>
    static void segment(std::uint64_t bytes, const Each& each) {
        for (; bytes > kSegment; bytes -= kSegment) each(kSegment, false);
        each(bytes, true);
    }

    void queue_message(std::uint64_t transfer, std::uint64_t bytes) {
        segment(bytes, [&](std::uint64_t length, bool last) { queue_.push_back({transfer, length, last}); });
        send_queued();
    }

    void send_queued() {
        for (; !queue_.empty() && sent_ - acknowledged_ < kMostUnacknowledged; queue_.pop_front()) {
            const Packet packet = queue_.front();
            const std::uint64_t number = ++sent_;
            const bool ask = packet.last || number % kAcknowledgeEvery == 0;
            links_.send(flow_.from, flow_.to, packet.bytes,
                        [this, packet, number, ask] { served(packet, number, ask); });
        }
    }

    /// At the responder.
    void served(const Packet& packet, std::uint64_t number, bool ask) {
        if (ask)
            links_.send(flow_.to, flow_.from, 0, [this, packet, number] { acknowledged(packet, number); });
        if (!packet.last) return;
        if (operation_ == Operation::rdma_write)
            listener_.finished(packet.transfer, pcie::now());
        else
            complete([this, packet] { listener_.finished(packet.transfer, pcie::now()); });
    }

    /// At the requester.
    void acknowledged(const Packet& packet, std::uint64_t number) {
        acknowledged_ = std::max(acknowledged_, number);
        send_queued();
        if (packet.last) complete([this, packet] { listener_.released(packet.transfer, pcie::now()); });
    }

    /// Has the program find its completion, on a CPU of its own.
    void complete(std::function<void()> done) {
        timeline_.at(pcie::now() + config_.completion, std::move(done));
    }

    /// A READ's, by the responder.
    void answer(std::uint64_t transfer, std::uint64_t bytes) {
        segment(bytes, [&](std::uint64_t length, bool last) {
            links_.send(flow_.to, flow_.from, length, [this, transfer, last] {
                if (!last) return;
                complete([this, transfer] {
                    listener_.finished(transfer, pcie::now());
                    listener_.released(transfer, pcie::now());
                });
            });
        });
    }

    pcie::Timeline& timeline_;
    RopcieLinks& links_;
    Flow flow_;
    Operation operation_;
    TrafficListener& listener_;
    pcie::RdmaConfig config_;
    std::deque<Packet> queue_;                   ///< Not sent yet.
    std::uint64_t sent_ = 0, acknowledged_ = 0;  ///< Packets.
};

}  // namespace

std::unique_ptr<Traffic> make_rdma(const Parts& parts, const Flow& flow, std::size_t,
                                   const Workload& workload, TrafficListener& listener) {
    return std::make_unique<Rdma>(parts, flow, workload, listener, parts.ropcie->config());
}

}  // namespace ntblab::sim
