// SPDX-License-Identifier: MIT
#include "pcie/ethernet_link.h"

#include <gtest/gtest.h>

#include <map>

#include "parts.h"
#include "pcie/simulation.h"

namespace ntblab::pcie {
namespace {

struct EthernetPath {
    EthernetPath(const EthernetConfig& config, std::uint64_t count, std::uint32_t size)
        : link("link", config), source("source", pool, count), sink("sink"), back("back"), quiet("quiet") {
        source.make = [size](Tlp& tlp, std::uint64_t) { tlp.length = size; };
        source.out.bind(link.in(0));
        link.out(0).bind(back.in);
        quiet.out.bind(link.in(1));
        link.out(1).bind(sink.in);
    }

    TlpPool pool;
    EthernetLink link;
    Source source;
    Sink sink, back;
    Silence quiet;
};

TEST(EthernetLink, OneFrameTakesItsBytesAndTheWay) {
    Simulation simulation;
    EthernetPath path({.gigabits = 10, .latency = nanoseconds(5000)}, 1, 256);
    simulation.run();
    EXPECT_EQ(path.sink.first, nanoseconds(5000) + (256 + 98) * 800);
    EXPECT_EQ(path.pool.in_use(), 0U);
}

TEST(EthernetLink, MoreThanAnMtuIsSeveralFrames) {
    Simulation simulation;
    EthernetPath path({.gigabits = 10}, 100, 4000);
    simulation.run();
    EXPECT_EQ(path.link.statistics(0).frames, 300U);
    EXPECT_EQ(path.link.statistics(0).wire_bytes, 100 * (4000 + 3 * 98U));
    const double rate = 8000.0 * 99 * 4000 / static_cast<double>(path.sink.last - path.sink.first);
    EXPECT_NEAR(rate, 10.0 * 4000 / (4000 + 3 * 98), 0.01);
}

TEST(EthernetLink, WhatIsLostComesAgainAndInOrder) {
    Simulation simulation;
    EthernetPath path({.loss = 0.05, .retransmit = nanoseconds(100'000)}, 2'000, 1000);
    std::uint64_t last = 0;
    bool in_order = true;
    Picoseconds most_late = 0;
    path.sink.look = [&](const Tlp& tlp) {
        most_late = std::max(most_late, tlp.tail - tlp.created);
        in_order = in_order && tlp.serial > last;
        last = tlp.serial;
    };
    simulation.run();
    EXPECT_TRUE(in_order);
    EXPECT_EQ(path.sink.tlps, 2'000U);
    EXPECT_EQ(path.link.statistics(0).frames, 2'000U + path.link.statistics(0).lost);
    EXPECT_NEAR(static_cast<double>(path.link.statistics(0).lost), 105, 40);
    EXPECT_GT(most_late, nanoseconds(100'000));
    EXPECT_LT(path.sink.last, nanoseconds(1'000'000));  // the wire does not wait
}

TEST(EthernetLink, RefusesWhatCannotBe) {
    Simulation simulation;
    EXPECT_THROW(EthernetLink("a", {.gigabits = 0}), std::invalid_argument);
    EXPECT_THROW(EthernetLink("b", {.mtu = 0}), std::invalid_argument);
    EXPECT_THROW(EthernetLink("c", {.loss = 1}), std::invalid_argument);
}

TEST(EthernetLink, TellsWhereTlpsSpendTheirTime) {
    struct Parts : Observer {
        void spent(const sc_core::sc_module&, const Tlp& tlp, Part part, Picoseconds begin,
                   Picoseconds end) override {
            gaps += begin != last[tlp.serial];
            last[tlp.serial] = end;
            spans[part] += end - begin;
        }
        std::map<std::uint64_t, Picoseconds> last;
        std::map<Part, Picoseconds> spans;
        unsigned gaps = 0;
    } parts;
    Simulation simulation;
    EthernetPath path({.latency = nanoseconds(5000), .loss = 0.05, .retransmit = nanoseconds(100'000)}, 1'000,
                      1000);
    path.link.observe(&parts);
    unsigned late = 0;
    path.sink.look = [&](const Tlp& tlp) { late += tlp.tail != parts.last[tlp.serial]; };
    simulation.run();
    EXPECT_EQ(late, 0U);
    EXPECT_LE(parts.gaps, 1'000U);  // each begins once
    EXPECT_EQ(parts.spans[Part::ethernet_wire], path.link.statistics(0).busy);
    EXPECT_GT(parts.spans[Part::retransmission], 0U);
    EXPECT_EQ(parts.spans[Part::ethernet_latency], 1'000 * nanoseconds(5000));
}

}  // namespace
}  // namespace ntblab::pcie
