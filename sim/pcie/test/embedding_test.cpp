// SPDX-License-Identifier: MIT
// A program with CPUs of its own sees what the model's CPU sees.
#include "pcie/embedding.h"

#include <gtest/gtest.h>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

using Kind = Happening::Kind;

struct Line {
    Picoseconds at;
    std::uint64_t address;
    std::uint32_t bytes;
    bool operator==(const Line&) const = default;
};

constexpr std::uint64_t kBytes = 10'000;

/// What the peer of a CPU sees that stores kBytes.
std::vector<Line> by_cpu(const Profile& profile) {
    Simulation simulation;
    System system("system", pair_of_hosts(), profile, {});
    std::vector<Line> seen;
    system.host(1).root.on_write = [&](const Tlp& tlp, Picoseconds at) {
        seen.push_back({at, tlp.address, tlp.length});
    };
    system.host(0).cpu->start({Access::Kind::store_combined, system.window(*system.endpoint(0, 1)), kBytes},
                              [](Picoseconds) {});
    simulation.run();
    return seen;
}

/// The same lines from outside, with the model advanced by `step`.
std::vector<Line> by_injection(const Profile& profile, Picoseconds step) {
    Simulation simulation;
    Embedding model(pair_of_hosts(), profile, {.check = true});
    std::vector<Line> seen;
    std::uint64_t injected = 0;
    Picoseconds next = profile.cpu.issue;
    while (seen.size() < (kBytes + 63) / 64) {
        for (; injected < kBytes && next <= model.time() + step; next += profile.cpu.line_interval) {
            const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(64, kBytes - injected));
            model.inject({.at = next, .address = model.window(0, 1) + injected, .bytes = bytes, .cookie = 1});
            injected += bytes;
        }
        model.advance(model.time() + step);
        for (const Happening& what : model.take())
            if (what.kind == Kind::arrived) seen.push_back({what.at, what.address, what.bytes});
    }
    EXPECT_TRUE(model.system().violations().empty());
    return seen;
}

TEST(Embedding, IsTheSameModelHoweverItIsAdvanced) {
    const Profile profile = plain_profile();
    const std::vector<Line> expected = by_cpu(profile);
    ASSERT_EQ(expected.size(), 157U);
    for (const Picoseconds step : {nanoseconds(50), nanoseconds(333), nanoseconds(100'000)})
        EXPECT_EQ(by_injection(profile, step), expected) << step;
}

TEST(Embedding, NothingArrivesWithinTheLookahead) {
    Simulation simulation;
    Embedding model(pair_of_hosts(), plain_profile(), {});
    EXPECT_GT(model.lookahead(), nanoseconds(100));
    model.inject({.at = 5000, .address = model.window(0, 1), .bytes = 4, .cookie = 1});
    model.advance(nanoseconds(10'000));
    for (const Happening& what : model.take()) {
        if (what.kind != Kind::arrived) continue;
        EXPECT_GE(what.at, 5000 + model.lookahead());
    }
}

TEST(Embedding, TellsOfEachRequestInTheOrderOfTime) {
    Simulation simulation;
    Embedding model(pair_of_hosts(), plain_profile(), {});
    model.inject({.at = 1000, .node = 0, .address = model.window(0, 1) + 8, .bytes = 8, .cookie = 1});
    model.inject(
        {.at = 2000, .node = 1, .write = false, .address = model.window(1, 0), .bytes = 32, .cookie = 2});
    model.advance(nanoseconds(50'000));
    const std::vector<Happening> all = model.take();
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].at, all[i].at);
    EXPECT_EQ(all[0].kind, Kind::departed);
    EXPECT_EQ(all[0].cookie, 1U);
    EXPECT_EQ(all[2].kind, Kind::arrived);
    EXPECT_EQ(all[2].node, 1U);
    EXPECT_EQ(all[2].address, 8U);
    EXPECT_EQ(all[3].kind, Kind::completed);
    EXPECT_EQ(all[3].node, 1U);
    EXPECT_EQ(all[3].cookie, 2U);
    EXPECT_TRUE(model.take().empty());
    EXPECT_TRUE(model.system().at_rest());
}

TEST(Embedding, DeparturesTellOfCredits) {
    Profile profile = plain_profile();
    profile.fabric_side.credits[index_of(FlowClass::posted)].header = 1;
    Simulation simulation;
    Embedding model(pair_of_hosts(), profile, {});
    for (unsigned i = 0; i < 4; ++i)
        model.inject({.at = 0, .address = model.window(0, 1), .bytes = 64, .cookie = i});
    model.advance(nanoseconds(50'000));
    std::vector<Picoseconds> departed;
    for (const Happening& what : model.take())
        if (what.kind == Kind::departed) departed.push_back(what.at);
    ASSERT_EQ(departed.size(), 4U);
    // Each waits until the one before it has gone through the switch.
    for (std::size_t i = 1; i < 4; ++i) EXPECT_GT(departed[i] - departed[i - 1], profile.hop.latency);
}

TEST(Embedding, RefusesWhatCannotBe) {
    Simulation simulation;
    Embedding model(pair_of_hosts(), plain_profile(), {});
    model.advance(1000);
    EXPECT_THROW(model.inject({.at = 999, .address = model.window(0, 1), .bytes = 4}), std::invalid_argument);
    EXPECT_THROW(model.inject({.at = 1000, .address = model.window(0, 1), .bytes = 0}),
                 std::invalid_argument);
    EXPECT_THROW(model.inject({.at = 1000, .node = 2, .address = model.window(0, 1), .bytes = 4}),
                 std::invalid_argument);
    for (const auto& [offset, bytes, write] :
         {std::tuple{0U, 257U, true}, {0U, 513U, false}, {4032U, 128U, true}, {4095U, 2U, false}})
        EXPECT_THROW(
            model.inject(
                {.at = 1000, .write = write, .address = model.window(0, 1) + offset, .bytes = bytes}),
            std::invalid_argument);
    EXPECT_EQ(model.window(0, 0), 0U);
}

}  // namespace
}  // namespace ntblab::pcie
