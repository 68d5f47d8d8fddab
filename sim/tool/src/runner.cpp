// SPDX-License-Identifier: MIT
#include "runner.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ntblab::sim {

using pcie::Access;
using pcie::Picoseconds;
using pcie::Tlp;
using pcie::Transfer;
using Kind = Workload::Kind;

namespace {

/// Of a ping-pong's way back.
constexpr std::uint64_t kBack = std::uint64_t{1} << 63;

}  // namespace

Runner::Runner(sc_core::sc_module_name name, pcie::System& system, const Workload& workload)
    : sc_module(name), system_(system), workload_(workload) {
    near_ = system.endpoint(workload.from, workload.to);
    far_ = system.endpoint(workload.to, workload.from);
    if (near_ == nullptr || far_ == nullptr) throw std::invalid_argument("no NT pair joins these two nodes");
    if (workload.sizes.empty()) throw std::invalid_argument("a workload has a size at least");
    for (const std::size_t node : {workload.from, workload.to})
        system.host(node).root.set_memory(workload.uncached, workload.remote);
    watch(workload.from, false);
    watch(workload.to, workload.kind == Kind::doorbell);
    timeline_.at(0, [this] { begin_size(); });
}

bool Runner::stores() const {
    return workload_.kind == Kind::pio_write || workload_.kind == Kind::doorbell;
}

// A doorbell is seen when its handler runs, everything else when the bytes are.
void Runner::watch(std::size_t node, bool interrupts) {
    system_.host(node).root.on_write = [this, interrupts](const Tlp& tlp, Picoseconds visible) {
        const bool interrupt = tlp.address >= pcie::kInterruptSpace &&
                               tlp.address - pcie::kInterruptSpace < pcie::kInterruptSpaceSize;
        if (tlp.cookie != 0 && interrupt == interrupts) seen(tlp.cookie, tlp.length, visible);
    };
}

void Runner::begin_size() {
    begun_ = ended_ = 0;
    latencies_.clear();
    const unsigned all = workload_.warm_up + workload_.transfers;
    for (unsigned i = 0; i < std::min(workload_.in_flight, all); ++i) begin_transfer();
}

Transfer Runner::transfer(std::uint64_t cookie) const {
    const std::uint64_t address = (cookie * size()) % std::max(workload_.span, size());
    const pcie::Place own{near_->partition, address};
    const pcie::Place peers{near_->peer_partition, address};
    Transfer result{.bytes = size(), .queue = {near_->partition, 0}, .cookie = cookie};
    switch (workload_.kind) {
        case Kind::dma_read:
            result.source = peers;
            result.target = own;
            break;
        case Kind::device_write:
            result.kind = Transfer::Kind::write;
            result.target = own;
            break;
        case Kind::device_read:
            result.kind = Transfer::Kind::read;
            result.source = own;
            break;
        default:
            result.source = own;
            result.target = peers;
            break;
    }
    return result;
}

void Runner::begin_transfer() {
    const std::uint64_t cookie = first_cookie_ + begun_++;
    const Picoseconds start = pcie::now();
    if (begun_ == workload_.warm_up + 1) measured_from_ = start;
    running_[cookie] = {start, size()};
    const std::uint64_t window = system_.window(*near_);
    pcie::Cpu& cpu = *system_.host(workload_.from).cpu;
    switch (workload_.kind) {
        case Kind::pio_write:
        case Kind::pio_pingpong:
        case Kind::doorbell: {
            const bool bell = workload_.kind == Kind::doorbell;
            cpu.start({bell ? Access::Kind::store_uncached : Access::Kind::store_combined,
                       window + (bell ? pcie::kInterruptSpace : 0), size(), cookie},
                      [this](Picoseconds at) {
                          if (!stores()) return;
                          measured_to_ = at;
                          if (begun_ < workload_.warm_up + workload_.transfers)
                              timeline_.at(at, [this] { begin_transfer(); });
                      });
            break;
        }
        case Kind::pio_read:
            cpu.start({Access::Kind::load, window, size(), cookie},
                      [this, cookie](Picoseconds at) { finished(cookie, at); });
            break;
        case Kind::device_read:
            near_->dma->start(transfer(cookie), [this, cookie](Picoseconds at) { finished(cookie, at); });
            break;
        default:
            near_->dma->start(transfer(cookie), [](Picoseconds) {});
            break;
    }
}

void Runner::seen(std::uint64_t cookie, std::uint64_t bytes, Picoseconds at) {
    const auto found = running_.find(cookie);
    if (found == running_.end()) return;
    found->second.left -= std::min(bytes, found->second.left);
    if (found->second.left > 0) return;
    if (workload_.kind == Kind::pio_pingpong && (cookie & kBack) == 0)
        timeline_.at(at, [this, cookie] { send_back(cookie); });
    else
        finished(cookie, at);
}

void Runner::send_back(std::uint64_t cookie) {
    running_[cookie | kBack] = {running_.at(cookie).start, size()};
    running_.erase(cookie);
    system_.host(workload_.to)
        .cpu->start({Access::Kind::store_combined, system_.window(*far_), size(), cookie | kBack},
                    [](Picoseconds) {});
}

void Runner::finished(std::uint64_t cookie, Picoseconds at) {
    const auto found = running_.find(cookie);
    const Picoseconds latency = (at - found->second.start) / (workload_.kind == Kind::pio_pingpong ? 2 : 1);
    running_.erase(found);
    cookie &= ~kBack;
    if (cookie - first_cookie_ >= workload_.warm_up) latencies_.push_back(latency);
    ++ended_;
    if (!stores()) measured_to_ = std::max(measured_to_, at);
    const std::uint64_t all = workload_.warm_up + workload_.transfers;
    if (ended_ == all)
        timeline_.at(at, [this] { end_size(); });
    else if (!stores() && begun_ < all)
        timeline_.at(at, [this] { begin_transfer(); });
}

void Runner::end_size() {
    std::sort(latencies_.begin(), latencies_.end());
    const std::size_t count = latencies_.size();
    Point point{.size = size(), .transfers = count};
    if (count > 0) {
        point.least = latencies_.front();
        point.median = latencies_[count / 2];
        point.p99 = latencies_[std::min(count - 1, count * 99 / 100)];
        point.most = latencies_.back();
        point.mean = std::accumulate(latencies_.begin(), latencies_.end(), 0.0) / static_cast<double>(count);
        point.elapsed = measured_to_ - measured_from_;
    }
    points_.push_back(point);
    first_cookie_ += begun_;
    if (++size_index_ < workload_.sizes.size()) begin_size();
}

}  // namespace ntblab::sim
