// SPDX-License-Identifier: MIT
// How fast the model of sim/pcie is, and what more TLPs, ports and switches cost. `model.py` runs it, and
// makes ratios of what it prints:
//
//     build/bin/pcie-bench --benchmark_format=json
//
// Counters: items_per_second, TLPs that were delivered in a second of wall time; cpu_per_tlp, nanoseconds of
// the process; peak_rss, bytes, the most that the process has had so far: sizes are run from the smallest on.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>

#include "parts.h"
#include "pcie/simulation.h"
#include "pcie/system.h"
#include "pcie/timeline.h"

namespace ntblab::pcie {
namespace {

constexpr std::uint32_t kPayload = 256;
constexpr std::int64_t kManyTlps = 1'000'000;

/// Of the process, in seconds.
double cpu_time() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

double peak_rss() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// One iteration: what it takes to run what has been put together, which delivers `delivered` TLPs.
void measure(benchmark::State& state, Simulation& simulation, const std::uint64_t& delivered) {
    const auto start = std::chrono::steady_clock::now();
    const double before = cpu_time();
    simulation.run();
    const double cpu = cpu_time() - before;
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    state.SetItemsProcessed(static_cast<std::int64_t>(delivered));
    state.counters["cpu_per_tlp"] = 1e9 * cpu / static_cast<double>(delivered);
    state.counters["peak_rss"] = peak_rss();
}

LinkConfig link_of_two_ports() {
    LinkConfig config;
    for (LinkSide& side : config.sides) {
        side.credits = {CreditPair{64, 1024}, {64, 64}, {128, 2048}};
        side.weights = {1, 1};
    }
    return config;
}

/// A source, a link, a switch, a link and a sink; nothing but DLLPs comes back.
struct SaturatedPath {
    explicit SaturatedPath(std::uint64_t tlps) : source("source", pool, tlps) {
        source.out.bind(near.in(0));
        near.out(0).bind(back.in);
        hop.out(0).bind(near.in(1));
        near.out(1).bind(hop.in(0));
        hop.out(1).bind(far.in(0));
        far.out(0).bind(hop.in(1));
        quiet.out.bind(far.in(1));
        far.out(1).bind(sink.in);
        hop.set_encoding(0, near.encoding());
        hop.set_encoding(1, far.encoding());
    }

    TlpPool pool;
    Link near{"near", link_of_two_ports()}, far{"far", link_of_two_ports()};
    Switch hop{"hop", {.latency = nanoseconds(120)}, [](const Tlp& tlp) { return 1 - tlp.flow; }};
    Source source;
    Sink sink{"sink"}, back{"back"};
    Silence quiet{"quiet"};
};

void saturated_path(benchmark::State& state) {
    for ([[maybe_unused]] auto iteration : state) {
        Simulation simulation;
        SaturatedPath path(static_cast<std::uint64_t>(state.range(0)));
        measure(state, simulation, path.sink.tlps);
    }
}
BENCHMARK(saturated_path)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// Of so many switches, each with an NT pair for two of its ports.
topology::Topology topology_of(unsigned switches, unsigned ports) {
    topology::Topology result;
    for (unsigned number = 0; number < switches; ++number) {
        topology::Switch& sw = result.switches.emplace_back();
        sw.name = "s" + std::to_string(number);
        for (unsigned port = 0; port < ports; ++port) {
            topology::Partition& partition = sw.partitions.emplace_back();
            partition.node = result.nodes.size();
            partition.peer = port ^ 1U;
            partition.link.width = 2;
            result.nodes.emplace_back().name = "n" + std::to_string(result.nodes.size());
        }
    }
    return result;
}

// Every host's engine writes to the peer; all links are busy in both directions.
void ports_and_switches(benchmark::State& state) {
    const topology::Topology topology =
        topology_of(static_cast<unsigned>(state.range(0)), static_cast<unsigned>(state.range(1)));
    Profile profile;
    for (LinkSide* side : {&profile.host_side, &profile.fabric_side})
        side->credits = {CreditPair{64, 1024}, {64, 64}, {128, 2048}};
    for ([[maybe_unused]] auto iteration : state) {
        Simulation simulation;
        System system("system", topology, profile, {});
        Timeline timeline("timeline");
        std::uint64_t delivered = 0;
        Picoseconds start = 0;
        const std::uint64_t each = kManyTlps / system.endpoints().size();
        for (const System::Endpoint& endpoint : system.endpoints()) {
            system.host(endpoint.node).root.on_write = [&](const Tlp&, Picoseconds) { ++delivered; };
            const Transfer transfer{.kind = Transfer::Kind::write,
                                    .target = {endpoint.peer_partition, 0},
                                    .bytes = each * kPayload,
                                    .queue = {endpoint.partition, 0}};
            // Not all at the same time: no two events are one.
            timeline.at(start, [&endpoint, transfer] { endpoint.dma->start(transfer, [](Picoseconds) {}); });
            start += 137;
        }
        measure(state, simulation, delivered);
    }
}
BENCHMARK(ports_and_switches)
    ->Args({1, 2})
    ->Args({1, 6})
    ->Args({1, 12})
    ->Args({1, 24})
    ->Args({1, 48})
    ->Args({2, 48})
    ->Args({4, 48})
    ->Args({8, 48})
    ->Args({16, 48})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ntblab::pcie

int sc_main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
