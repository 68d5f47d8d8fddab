// SPDX-License-Identifier: MIT
// What an observer hears is what happens, and makes no difference to it.
#include "pcie/observer.h"

#include <gtest/gtest.h>

#include <map>

#include "path.h"
#include "system_path.h"

namespace ntblab::pcie {
namespace {

LinkConfig noisy(double rate) {
    LinkConfig config = plain_link(4, 16);
    config.bit_error_rate = rate;
    config.propagation = nanoseconds(50);
    return config;
}

/// Counts as the link itself does.
struct Counts : Observer {
    struct Side {
        std::uint64_t tlps = 0, bytes = 0, payload = 0, again = 0, again_bytes = 0, taken = 0;
        std::uint64_t corrupt_tlps = 0, corrupt_dllps = 0, skips = 0;
        std::map<Dllp::Kind, std::uint64_t> dllps;
        std::map<StallCause, Picoseconds> stalls;
        StallCause cause{};
        Picoseconds stalled_since = kNever;
        Picoseconds wire_free = 0;
        bool overlap = false;
        std::int64_t queue = 0, most_queued = 0;
    };
    std::array<Side, 2> sides;

    void occupy(Side& side, Picoseconds begin, Picoseconds end) const {
        side.overlap = side.overlap || begin < side.wire_free || end < begin;
        side.wire_free = end;
    }
    void queued(const Link&, unsigned side, const Tlp&, Picoseconds) override {
        sides[side].most_queued = std::max(sides[side].most_queued, ++sides[side].queue);
    }
    void sent(const Link&, unsigned number, const Tlp& tlp, const TlpOnWire& wire) override {
        Side& side = sides[number];
        occupy(side, wire.begin, wire.end);
        (wire.again ? side.again : side.tlps) += 1;
        (wire.again ? side.again_bytes : side.bytes) += wire.bytes;
        if (!wire.again) {
            side.payload += payload_bytes(tlp);
            --side.queue;
        }
        if (wire.taken) ++side.taken;
        if (!wire.whole) ++side.corrupt_tlps;
    }
    void sent(const Link&, unsigned number, const Dllp& dllp, const DllpOnWire& wire) override {
        Side& side = sides[number];
        occupy(side, wire.begin, wire.end);
        ++side.dllps[dllp.kind];
        if (!wire.whole) ++side.corrupt_dllps;
    }
    void skipped(const Link&, unsigned number, Picoseconds begin, Picoseconds end) override {
        occupy(sides[number], begin, end);
        ++sides[number].skips;
    }
    void stalled(const Link& link, unsigned number, StallCause cause, Picoseconds at) override {
        resumed(link, number, at);
        sides[number].cause = cause;
        sides[number].stalled_since = at;
    }
    void resumed(const Link&, unsigned number, Picoseconds at) override {
        Side& side = sides[number];
        if (side.stalled_since != kNever) side.stalls[side.cause] += at - side.stalled_since;
        side.stalled_since = kNever;
    }
};

void expect_equal(const Counts::Side& seen, const LinkStatistics& counted) {
    EXPECT_FALSE(seen.overlap);
    EXPECT_EQ(seen.tlps, counted.tlps);
    EXPECT_EQ(seen.bytes, counted.tlp_bytes);
    EXPECT_EQ(seen.payload, counted.payload_bytes);
    EXPECT_EQ(seen.again, counted.replayed);
    EXPECT_EQ(seen.again_bytes, counted.replayed_bytes);
    EXPECT_EQ(seen.taken, counted.delivered);
    EXPECT_EQ(seen.corrupt_tlps + seen.corrupt_dllps, counted.corrupted);
    EXPECT_EQ(seen.skips, counted.skips);
    const auto count = [&](Dllp::Kind kind) {
        const auto found = seen.dllps.find(kind);
        return found == seen.dllps.end() ? 0 : found->second;
    };
    EXPECT_EQ(count(Dllp::Kind::acknowledge), counted.acknowledgements);
    EXPECT_EQ(count(Dllp::Kind::reject), counted.rejections);
    EXPECT_EQ(count(Dllp::Kind::update_credits), counted.credit_updates);
    for (std::size_t i = 0; i < kStallCauses; ++i) {
        const auto cause = static_cast<StallCause>(i);
        const auto found = seen.stalls.find(cause);
        EXPECT_EQ(found == seen.stalls.end() ? 0 : found->second, counted.stalls.span(cause))
            << name_of(cause);
    }
    EXPECT_EQ(seen.queue, 0);
}

TEST(Observer, HearsOfAllThatALinkCounts) {
    Simulation simulation;
    LinkConfig config = noisy(1e-5);
    config.sides[1].credits = {CreditPair{4, 64}, {4, 4}, {4, 64}};
    Path path(config, 5000, 256, nanoseconds(40));
    Counts seen;
    path.link.observe(&seen);
    simulation.run();
    for (unsigned side : {0U, 1U}) expect_equal(seen.sides[side], path.link.statistics(side));
    EXPECT_GT(seen.sides[0].again, 0U);
    EXPECT_GT(seen.sides[0].skips, 0U);
    EXPECT_GT(seen.sides[0].stalls[StallCause::posted_header] + seen.sides[0].stalls[StallCause::posted_data],
              0U);
    EXPECT_GT(seen.sides[1].dllps[Dllp::Kind::reject], 0U);
    EXPECT_GT(seen.sides[0].most_queued, 1);
}

TEST(Observer, MakesNoDifference) {
    std::array<Picoseconds, 2> last{};
    for (const bool observed : {false, true}) {
        Simulation simulation;
        Path path(noisy(1e-5), 5000, 256);
        Counts seen;
        if (observed) path.link.observe(&seen);
        simulation.run();
        last[observed ? 1 : 0] = path.sink.last;
        EXPECT_EQ(seen.sides[0].tlps, observed ? 5000U : 0U);
    }
    EXPECT_EQ(last[0], last[1]);
}

TEST(Observer, SeveralHearTheSame) {
    Simulation simulation;
    Path path(noisy(1e-5), 1000, 256);
    Counts one, other;
    Observers both;
    both.add(one);
    both.add(other);
    path.link.observe(&both);
    simulation.run();
    for (unsigned side : {0U, 1U}) {
        expect_equal(one.sides[side], path.link.statistics(side));
        expect_equal(other.sides[side], path.link.statistics(side));
    }
}

/// The way of each TLP, and what each follows from.
struct Ways : Observer {
    struct Way {
        TlpType type{};
        std::uint64_t cause = 0;
        std::vector<Part> parts;
        Picoseconds at = 0;
        bool gap = false;
        unsigned links = 0, ends = 0;
    };
    std::map<std::uint64_t, Way> ways;

    Way& way(const Tlp& tlp) {
        Way& way = ways[tlp.serial];
        way.type = tlp.type;
        way.cause = tlp.cause;
        return way;
    }
    void sent(const Link&, unsigned, const Tlp& tlp, const TlpOnWire&) override {
        ++way(tlp).links;
        way(tlp).at = 0;  // the first byte may go on before the last
    }
    void spent(const sc_core::sc_module&, const Tlp& tlp, Part part, Picoseconds begin,
               Picoseconds end) override {
        Way& its = way(tlp);
        its.gap = its.gap || begin >= end || (its.at != 0 && begin != its.at);
        its.at = end;
        its.parts.push_back(part);
    }
    void ended(const sc_core::sc_module&, const Tlp& tlp, Picoseconds) override { ++way(tlp).ends; }
};

TEST(Observer, HearsOfAWritesWay) {
    Simulation simulation;
    PairOfHosts pair;
    Ways seen;
    pair.system.observe(&seen);
    pair.system.host(0).cpu->start({Access::Kind::store_combined, pair.window(), 64}, [](Picoseconds) {});
    simulation.run();
    ASSERT_EQ(seen.ways.size(), 1U);
    const Ways::Way& way = seen.ways.begin()->second;
    EXPECT_EQ(way.parts,
              (std::vector{Part::issue, Part::egress, Part::hop, Part::ingress, Part::memory_write}));
    EXPECT_EQ(way.links, 2U);
    EXPECT_EQ(way.ends, 1U);
    EXPECT_FALSE(way.gap);
    EXPECT_EQ(way.cause, 0U);
}

// A copy's last write goes back to the completion that brought its data, to its read, to the descriptor.
TEST(Observer, HearsOfWhatFollowsFromWhat) {
    Simulation simulation;
    PairOfHosts pair;
    Ways seen;
    pair.system.observe(&seen);
    Transfer copy = pair.copy(2048);
    copy.cookie = 5;
    pair.near().dma->start(copy, [](Picoseconds) {});
    simulation.run();
    EXPECT_TRUE(pair.clean());
    std::vector<TlpType> chain;
    // The completion entry is the last of all.
    for (std::uint64_t serial = seen.ways.rbegin()->first; serial != 0; serial = seen.ways.at(serial).cause)
        chain.push_back(seen.ways.at(serial).type);
    EXPECT_EQ(chain, (std::vector{TlpType::memory_write, TlpType::completion, TlpType::memory_read,
                                  TlpType::completion, TlpType::memory_read}));
    for (const auto& [serial, way] : seen.ways) {
        EXPECT_EQ(way.ends, 1U) << serial;
        EXPECT_FALSE(way.gap) << serial;
    }
}

}  // namespace
}  // namespace ntblab::pcie
