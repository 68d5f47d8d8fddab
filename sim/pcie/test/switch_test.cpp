// SPDX-License-Identifier: MIT
#include "pcie/switch.h"

#include <gtest/gtest.h>

#include "path.h"

namespace ntblab::pcie {
namespace {

/// A switch with a link to a source and a sink at each port. Source p sends to the ports that `target` gives.
struct Star {
    Star(const SwitchConfig& config, const std::vector<LinkConfig>& link_configs, std::uint64_t count,
         std::uint32_t size, std::function<unsigned(const Tlp& tlp)> target)
        : hop("hop", config, std::move(target)) {
        for (unsigned port = 0; port < config.ports; ++port) {
            LinkConfig own = link_configs.at(port);
            own.sides[1].weights.resize(config.ports, 1);
            const std::string number = std::to_string(port);
            Link& link = *links.emplace_back(std::make_unique<Link>(("link" + number).c_str(), own));
            Source& source =
                *sources.emplace_back(std::make_unique<Source>(("source" + number).c_str(), pool, count));
            Sink& sink = *sinks.emplace_back(std::make_unique<Sink>(("sink" + number).c_str()));
            source.make = [size](Tlp& tlp, std::uint64_t) { tlp.length = size; };
            source.out.bind(link.in(0));
            link.out(0).bind(sink.in);
            hop.out(port).bind(link.in(1));
            link.out(1).bind(hop.in(port));
            hop.set_encoding(port, link.encoding());
        }
    }

    TlpPool pool;
    Switch hop;
    std::vector<std::unique_ptr<Link>> links;
    std::vector<std::unique_ptr<Source>> sources;
    std::vector<std::unique_ptr<Sink>> sinks;
};

Picoseconds latency_of(SwitchConfig config, std::uint32_t size) {
    Simulation simulation;
    Star star(config, {2, plain_link(3, 8)}, 1, size, [](const Tlp& tlp) { return 1 - tlp.flow; });
    simulation.run();
    return star.sinks[1]->first;
}

TEST(Switch, CutThroughAddsItsLatencyAlone) {
    // 1048 bytes of 126.953125 ps, once.
    EXPECT_EQ(latency_of({.latency = nanoseconds(100)}, 1024), nanoseconds(100) + 133047);
}

TEST(Switch, StoreAndForwardTakesTheTlpTwice) {
    const SwitchConfig config{.latency = nanoseconds(100),
                              .forwarding = SwitchConfig::Forwarding::store_and_forward};
    EXPECT_EQ(latency_of(config, 1024), nanoseconds(100) + 2 * 133047);
}

// A faster egress would run out of bytes: the TLP's end leaves when it is there.
TEST(Switch, AFasterEgressWaitsForTheEnd) {
    Simulation simulation;
    TlpPool pool;
    LinkConfig slow = plain_link(3, 4), fast = plain_link(4, 16);
    slow.sides[1].weights = fast.sides[0].weights = {1, 1};
    Link in("in", slow), out("out", fast);
    Switch hop("hop", {.latency = nanoseconds(100)}, [](const Tlp& tlp) { return 1 - tlp.flow; });
    Source source("source", pool, 1);
    Sink back("back"), sink("sink");
    Silence quiet("quiet");
    source.out.bind(in.in(0));
    in.out(0).bind(back.in);
    hop.out(0).bind(in.in(1));
    in.out(1).bind(hop.in(0));
    hop.out(1).bind(out.in(0));
    out.out(0).bind(hop.in(1));
    quiet.out.bind(out.in(1));
    out.out(1).bind(sink.in);
    hop.set_encoding(0, in.encoding());
    hop.set_encoding(1, out.encoding());
    simulation.run();
    // 280 bytes of 253.90625 ps; the end of the last byte that goes out is 100 ns later.
    EXPECT_NEAR(static_cast<double>(sink.first), 100000 + 280 * 253.90625, 2);
}

TEST(Switch, IncastSharesThePortFairly) {
    Simulation simulation;
    const unsigned ports = 5;
    Star star({.ports = ports}, std::vector(ports, plain_link()), 4'000, 256, [](const Tlp&) { return 4U; });
    star.sources[4]->make = [](Tlp& tlp, std::uint64_t) { tlp.length = 4; };
    std::array<std::uint64_t, ports> arrived{};
    bool all = true;
    star.sinks[4]->look = [&](const Tlp& tlp) {
        ++arrived[tlp.flow];
        // While all four send.
        if (star.sinks[4]->tlps == 12'000)
            for (unsigned port = 0; port < 4; ++port)
                all = all && arrived[port] > 2'200 && arrived[port] < 2'600;
    };
    simulation.run();
    EXPECT_TRUE(all);
    EXPECT_EQ(star.sinks[4]->tlps, ports * 4'000U);
    EXPECT_TRUE(star.hop.at_rest());
}

// One in 72 of what port 0 sends is for port 2, which has a quarter of the lanes and where 16 of port 1's
// have their turn before it: as much time as 64 of the others take, at most. These are for port 3, which is
// idle.
double rate_to_the_idle_port(SwitchConfig::Queueing queueing) {
    Simulation simulation;
    std::vector<LinkConfig> links(4, plain_link(4, 16));
    links[2] = plain_link(4, 4);
    links[2].sides[1].weights = {1, 16};
    Star star({.ports = 4, .queueing = queueing}, links, 20'000, 256, [](const Tlp& tlp) {
        if (tlp.flow == 0) return tlp.address == 0 ? 2U : 3U;
        return tlp.flow == 1 ? 2U : 0U;
    });
    star.sources[0]->make = [](Tlp& tlp, std::uint64_t number) {
        tlp.length = 256;
        tlp.address = number % 72;
    };
    for (const unsigned port : {2U, 3U})
        star.sources[port]->make = [](Tlp& tlp, std::uint64_t) { tlp.length = 4; };
    simulation.run();
    const Sink& sink = *star.sinks[3];
    return static_cast<double>(sink.bytes) / static_cast<double>(sink.last - sink.first);
}

TEST(Switch, SharedQueuesHaveHeadOfLineBlocking) {
    const double separate = rate_to_the_idle_port(SwitchConfig::Queueing::per_egress);
    const double shared = rate_to_the_idle_port(SwitchConfig::Queueing::shared);
    EXPECT_LT(shared / separate, 0.8);
    EXPECT_GT(shared / separate, 72.0 / (72 + 68));
}

TEST(Switch, CountsWhatItHolds) {
    Simulation simulation;
    Star star({}, {2, plain_link()}, 100, 256, [](const Tlp& tlp) { return 1 - tlp.flow; });
    simulation.run();
    for (unsigned port : {0U, 1U}) {
        EXPECT_EQ(star.hop.statistics(port).tlps, 100U);
        EXPECT_EQ(star.hop.statistics(port).payload_bytes, 25'600U);
    }
}

}  // namespace
}  // namespace ntblab::pcie
