// SPDX-License-Identifier: MIT
#include "traffic.h"

namespace ntblab::sim {
namespace {

using pcie::Picoseconds;
using pcie::Tlp;
using pcie::Transfer;

class Dma : public MemoryTraffic {
  public:
    Dma(const Parts& parts, const Flow& flow, std::size_t index, const Workload& workload,
        TrafficListener& listener)
        : MemoryTraffic(index, workload, listener), near_(*parts.system.endpoint(flow.from, flow.to)) {}

    void begin(std::uint64_t transfer, std::uint64_t bytes) override {
        const std::uint64_t address = offset(transfer, bytes);
        const pcie::Place own{near_.partition, address};
        const pcie::Place peers{near_.peer_partition, address};
        Transfer request{.source = own,
                         .target = peers,
                         .bytes = bytes,
                         .queue = {near_.partition, 0},
                         .cookie = base_ + transfer};
        if (operation_ == Operation::device_read) {
            request.kind = Transfer::Kind::read;
            near_.dma->start(request, [this, transfer](Picoseconds at) { done(transfer, at); });
            return;
        }
        if (operation_ == Operation::device_write) {
            request.kind = Transfer::Kind::write;
            request.target = own;
        } else if (operation_ == Operation::dma_read) {
            std::swap(request.source, request.target);
        }
        outstanding_.begin(request.cookie, bytes);
        near_.dma->start(request, [](Picoseconds) {});
    }

    void written(std::size_t, const Tlp& tlp, Picoseconds visible) override {
        if (!is_interrupt(tlp) && outstanding_.seen(tlp.cookie, tlp.length))
            done(tlp.cookie - base_, visible);
    }

  private:
    const pcie::System::Endpoint& near_;
};

}  // namespace

std::unique_ptr<Traffic> make_dma(const Parts& parts, const Flow& flow, std::size_t index,
                                  const Workload& workload, TrafficListener& listener) {
    return std::make_unique<Dma>(parts, flow, index, workload, listener);
}

}  // namespace ntblab::sim
