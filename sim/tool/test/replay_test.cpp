// SPDX-License-Identifier: MIT
// What CPUs did in a run, injected through the embedding interface at the same times, arrives at the same
// times.
#include "replay.h"

#include "bench.h"
#include "pcie/embedding.h"
#include "pcie/simulation.h"
#include "request_recorder.h"

namespace ntblab::sim {
namespace {

struct Arrival {
    pcie::Picoseconds at;
    std::size_t node;
    std::uint64_t address;
    std::uint32_t bytes;
    bool operator==(const Arrival&) const = default;
    friend void PrintTo(const Arrival& a, std::ostream* out) {
        *out << a.bytes << " bytes at " << a.address << " of node " << a.node << ", " << a.at << " ps";
    }
};

/// Writes at their ends, with the requests of CPUs.
struct Run : RequestRecorder {
    using RequestRecorder::RequestRecorder;
    void ended(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Picoseconds at) override {
        if (tlp.type == pcie::TlpType::memory_write)
            arrivals.push_back({at, node_of.at(&where), tlp.address, tlp.length});
    }
    std::map<const sc_core::sc_module*, std::size_t> node_of;
    std::vector<Arrival> arrivals;
};

void sort(std::vector<Arrival>& arrivals) {
    std::ranges::sort(arrivals, {}, [](const Arrival& a) { return std::tuple(a.at, a.node, a.address); });
}

/// The workload's requests, when they were made; and when writes arrived.
std::pair<std::vector<TraceRequest>, std::vector<Arrival>> recorded(const Hardware& hardware,
                                                                    const Workload& workload,
                                                                    std::uint64_t size) {
    std::unique_ptr<Run> run;
    Hooks hooks;
    hooks.begin = [&](pcie::System& system) {
        run = std::make_unique<Run>(system);
        for (std::size_t node = 0; node < system.host_count(); ++node)
            run->node_of[&system.host(node).root] = node;
        system.observe(run.get());
        return true;
    };
    std::vector<TraceRequest> requests;
    hooks.end = [&](pcie::System&) {
        requests = run->requests();
        return true;
    };
    simulate(hardware, workload, flows_of(workload, hardware.topology, 1).value(), size, hooks);
    sort(run->arrivals);
    return {requests, run->arrivals};
}

std::vector<Arrival> injected(const Hardware& hardware, const std::vector<TraceRequest>& requests) {
    pcie::Simulation simulation;
    pcie::Embedding model(hardware.topology, hardware.profile, {.check = true, .seed = hardware.seed});
    for (const TraceRequest& request : requests)
        model.inject({request.at, request.node, request.write,
                      model.window(request.node, request.peer) + request.offset, request.bytes, 0});
    std::vector<Arrival> arrivals;
    for (std::size_t ended = 0; ended < requests.size();) {
        model.advance(model.time() + model.lookahead());
        for (const auto& what : model.take()) {
            if (what.kind == pcie::Happening::Kind::departed) continue;
            ++ended;
            if (what.kind == pcie::Happening::Kind::arrived)
                arrivals.push_back({what.at, what.node, what.address, what.bytes});
        }
    }
    EXPECT_THAT(model.system().violations(), testing::IsEmpty());
    sort(arrivals);
    return arrivals;
}

TEST(Replay, ThroughTheEmbeddingEverythingArrivesWhenItDid) {
    for (const char* topology : {"pair", "mesh3"}) {
        Hardware hardware = hardware_of(topology);
        hardware.profile.bit_error_rate = 1e-6;
        for (const Operation operation :
             {Operation::pio_write, Operation::pio_read, Operation::doorbell, Operation::rdma_write}) {
            Workload workload = workload_of(operation, 20, 3);
            workload.pattern = Pattern::all_to_all;
            const auto [requests, arrivals] =
                recorded(hardware, workload, operation == Operation::doorbell ? 4 : 5000);
            ASSERT_GT(requests.size(), 20U);
            const auto again = injected(hardware, requests);
            ASSERT_EQ(again.size(), arrivals.size()) << topology << ' ' << name_of(operation);
            for (std::size_t i = 0; i < arrivals.size(); ++i)
                ASSERT_EQ(again[i], arrivals[i])
                    << topology << ' ' << name_of(operation) << ", arrival " << i;
        }
    }
}

TEST(Replay, ATraceIsWhatWasRecorded) {
    const Hardware hardware = hardware_of();
    const auto [requests, arrivals] = recorded(hardware, workload_of(Operation::pio_write, 10), 100);
    const std::string text = trace_text(requests, hardware.topology);
    EXPECT_EQ(parse_trace(text, "requests.csv", hardware.topology, hardware.profile).value(), requests);
    const Outcome outcome = replay(hardware, requests, {});
    EXPECT_EQ(outcome.measured.all.transfers, arrivals.size());
    EXPECT_EQ(outcome.measured.all.bytes, 100 * 20U);  // 10 of them to warm up
    EXPECT_THAT(outcome.violations, testing::IsEmpty());
}

}  // namespace
}  // namespace ntblab::sim
