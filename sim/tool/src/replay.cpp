// SPDX-License-Identifier: MIT
#include "replay.h"

#include <algorithm>
#include <stdexcept>

#include "pcie/embedding.h"
#include "pcie/simulation.h"
#include "statistics_json.h"

namespace ntblab::sim {
namespace {

using pcie::Happening;
using pcie::Picoseconds;

constexpr Picoseconds kStep = pcie::nanoseconds(10'000);
constexpr unsigned kStepsToRest = 100;  // a lost UpdateFC is made good within three

class Replay {
  public:
    Replay(const Hardware& hardware, const std::vector<TraceRequest>& requests)
        : requests_(requests),
          model_(hardware.topology, hardware.profile, {.check = hardware.check, .seed = hardware.seed}) {}

    pcie::System& system() { return model_.system(); }

    void run(const Hooks& hooks) {
        std::size_t next = 0;
        while (ended_ < requests_.size()) {
            for (; next < requests_.size() && requests_[next].at < model_.time() + kStep; ++next)
                inject(next);
            const bool idle = next == ended_;
            model_.advance(idle ? requests_[next].at : model_.time() + kStep);
            for (const Happening& what : model_.take()) take(what);
            hooks.progress(static_cast<double>(ended_) / static_cast<double>(requests_.size()));
        }
        // Credits and acknowledgements.
        for (unsigned steps = 0; !system().at_rest(); ++steps) {
            if (steps == kStepsToRest) throw std::logic_error("the model came to no rest");
            model_.advance(model_.time() + kStep);
        }
    }

    Measured measured() const {
        Measured result;
        FlowData all;
        for (const FlowData& flow : flows_) {
            result.flows.push_back({{flow.node, flow.peer}, flow.point()});
            all.add(flow);
        }
        result.all = all.point();
        return result;
    }

  private:
    struct FlowData {
        std::size_t node = 0, peer = 0;
        std::vector<Picoseconds> latencies = {};
        std::uint64_t bytes = 0;
        Picoseconds from = pcie::kNever, to = 0;

        Point point() const { return summary(0, bytes, latencies, latencies.empty() ? 0 : to - from); }
        void add(const FlowData& other) {
            latencies.insert(latencies.end(), other.latencies.begin(), other.latencies.end());
            bytes += other.bytes;
            from = std::min(from, other.from);
            to = std::max(to, other.to);
        }
    };

    FlowData& flow(const TraceRequest& request) {
        const auto found = std::ranges::find_if(flows_, [&](const FlowData& data) {
            return data.node == request.node && data.peer == request.peer;
        });
        if (found != flows_.end()) return *found;
        return flows_.emplace_back(FlowData{request.node, request.peer});
    }

    void inject(std::size_t index) {
        const TraceRequest& request = requests_[index];
        const std::uint64_t window = model_.window(request.node, request.peer);
        if (window == 0) throw std::invalid_argument("no NT pair joins two nodes of the trace");
        model_.inject(
            {request.at, request.node, request.write, window + request.offset, request.bytes, index + 1});
    }

    void take(const Happening& what) {
        if (what.kind == Happening::Kind::departed) return;
        const TraceRequest& request = requests_.at(what.cookie - 1);
        FlowData& data = flow(request);
        data.latencies.push_back(what.at - request.at);
        data.bytes += request.bytes;
        data.from = std::min(data.from, request.at);
        data.to = std::max(data.to, what.at);
        ++ended_;
    }

    const std::vector<TraceRequest>& requests_;
    pcie::Embedding model_;
    std::vector<FlowData> flows_;
    std::size_t ended_ = 0;
};

}  // namespace

Outcome replay(const Hardware& hardware, const std::vector<TraceRequest>& requests, const Hooks& hooks) {
    pcie::Simulation simulation;
    Replay run(hardware, requests);
    if (!hooks.begin(run.system())) return {};
    run.run(hooks);
    if (!hooks.end(run.system())) return {};
    return {run.measured(), statistics_json(run.system()), run.system().violations()};
}

}  // namespace ntblab::sim
