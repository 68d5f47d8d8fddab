// SPDX-License-Identifier: MIT
#include "runner.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ntblab::sim {

using pcie::Picoseconds;
using pcie::Tlp;

namespace {

constexpr std::uint64_t kFewestTransfers = 2;  ///< However large they are.

// Of stores, a CPU's rate is what counts: it goes on before they arrive.
bool is_store(Operation operation) {
    return operation == Operation::pio_write || operation == Operation::doorbell;
}

}  // namespace

Point summary(std::uint64_t size, std::uint64_t bytes, std::vector<Picoseconds> latencies,
              Picoseconds elapsed) {
    std::ranges::sort(latencies);
    const std::size_t count = latencies.size();
    if (count == 0) return {.size = size};
    return {.size = size,
            .transfers = count,
            .bytes = bytes,
            .least = latencies.front(),
            .median = latencies[(count - 1) / 2],
            .p99 = latencies[(99 * count + 99) / 100 - 1],
            .most = latencies.back(),
            .mean = std::accumulate(latencies.begin(), latencies.end(), 0.0) / static_cast<double>(count),
            .elapsed = elapsed};
}

/// One flow's transfers, `in_flight` at a time.
class Runner::FlowRun : private TrafficListener {
  public:
    FlowRun(Runner& runner, const Parts& parts, const Flow& flow, std::size_t index, const Workload& workload)
        : runner_(runner),
          flow_(flow),
          in_flight_(workload.in_flight),
          stores_(is_store(workload.operation)),
          halves_(workload.operation == Operation::pio_pingpong ? 2 : 1),
          traffic_(make_traffic(parts, flow, index, workload, *this)) {
        latencies_.reserve(runner.per_flow_ - runner.warm_up_);
    }

    void begin() {
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(in_flight_, runner_.per_flow_); ++i)
            begin_next();
    }

    const Flow& flow() const { return flow_; }
    Traffic& traffic() { return *traffic_; }
    bool at_rest() const { return started_.empty() && begun_ == runner_.per_flow_; }
    const std::vector<Picoseconds>& latencies() const { return latencies_; }
    Picoseconds from() const { return from_; }
    Picoseconds to() const { return to_; }

  private:
    void begin_next() {
        const std::uint64_t transfer = begun_++;
        if (transfer == 0) from_ = pcie::now();
        started_[transfer] = pcie::now();
        traffic_->begin(transfer, runner_.size_);
    }

    void released(std::uint64_t, Picoseconds at) override {
        if (stores_) count(at);
        if (begun_ < runner_.per_flow_)
            runner_.timeline_.at(at, [this] {
                if (begun_ < runner_.per_flow_) begin_next();
            });
    }

    void finished(std::uint64_t transfer, Picoseconds at) override {
        const auto start = started_.find(transfer);
        if (transfer >= runner_.warm_up_) latencies_.push_back((at - start->second) / halves_);
        started_.erase(start);
        if (!stores_) count(at);
        ++runner_.ended_;
        runner_.on_end();
    }

    /// One more has ended, for the rate: which is that of those behind the warm-up.
    void count(Picoseconds at) {
        to_ = std::max(to_, at);
        if (++counted_ == runner_.warm_up_) from_ = to_;
    }

    Runner& runner_;
    Flow flow_;
    unsigned in_flight_;
    bool stores_;
    unsigned halves_;  ///< That a latency is one of.
    std::unique_ptr<Traffic> traffic_;
    std::uint64_t begun_ = 0, counted_ = 0;
    std::unordered_map<std::uint64_t, Picoseconds> started_;
    std::vector<Picoseconds> latencies_;
    Picoseconds from_ = 0, to_ = 0;
};

Runner::Runner(sc_core::sc_module_name name, pcie::System& system, const pcie::Profile& profile,
               const Workload& workload, const std::vector<Flow>& flows, std::uint64_t size)
    : sc_module(name), size_(size) {
    if (size == 0) throw std::invalid_argument("transfers of 0 bytes");
    if (workload.operation == Operation::doorbell && size > profile.cpu.store_bytes)
        throw std::invalid_argument("a doorbell of more bytes than one store has");
    const std::uint64_t at_most = workload.bytes / size;
    warm_up_ =
        std::min<std::uint64_t>(workload.warm_up, std::max<std::uint64_t>(at_most, workload.in_flight));
    per_flow_ = warm_up_ + std::min<std::uint64_t>(workload.transfers, std::max(at_most, kFewestTransfers));
    if (is_rdma(workload.operation)) ropcie_ = std::make_unique<RopcieLinks>(system, timeline_, profile.rdma);
    const Parts parts{system, timeline_, ropcie_.get()};
    for (const Flow& flow : flows)
        flows_.push_back(std::make_unique<FlowRun>(*this, parts, flow, flows_.size(), workload));
    for (std::size_t node = 0; node < system.host_count(); ++node) {
        const bool used = std::ranges::any_of(
            flows, [&](const Flow& flow) { return flow.from == node || flow.to == node; });
        if (!used) continue;
        pcie::RootComplex& root = system.host(node).root;
        root.set_memory(workload.uncached, workload.remote);
        root.on_write = [this, node](const Tlp& tlp, Picoseconds visible) {
            if (tlp.cookie == 0 || (ropcie_ && ropcie_->written(tlp, visible))) return;
            flows_.at(flow_of_cookie(tlp.cookie))->traffic().written(node, tlp, visible);
        };
    }
    timeline_.at(0, [this] {
        for (auto& flow : flows_) flow->begin();
    });
}

Runner::~Runner() = default;

Measured Runner::measured() const {
    Measured result;
    std::vector<Picoseconds> all;
    Picoseconds from = pcie::kNever, to = 0;
    for (const auto& flow : flows_) {
        if (!flow->at_rest()) throw std::logic_error("transfers have not ended");
        const std::vector<Picoseconds>& latencies = flow->latencies();
        result.flows.push_back(
            {flow->flow(), summary(size_, size_ * latencies.size(), latencies, flow->to() - flow->from())});
        all.insert(all.end(), latencies.begin(), latencies.end());
        from = std::min(from, flow->from());
        to = std::max(to, flow->to());
    }
    const std::uint64_t bytes = size_ * all.size();
    result.all = summary(size_, bytes, std::move(all), flows_.empty() ? 0 : to - from);
    if (ropcie_) result.doorbells = ropcie_->doorbells();
    return result;
}

}  // namespace ntblab::sim
