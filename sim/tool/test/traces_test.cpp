// SPDX-License-Identifier: MIT
// What is asked for is written, always the same, and the run is as without.
#include "traces/traces.h"

#include <gmock/gmock.h>

#include "traced_run.h"

namespace ntblab::sim {
namespace {

TraceOptions all_in(const Folder& folder) {
    return {.vcd = folder / "run.vcd", .perfetto = folder / "run.json", .pcapng = folder / "run.pcapng"};
}

TEST(Traces, TheSameSeedIsTheSameBytes) {
    const Folder one, other, changed;
    Watched watched;
    watched.profile = eventful_profile();
    EXPECT_TRUE(watched.trace(all_in(one)));
    EXPECT_TRUE(watched.trace(all_in(other)));
    watched.seed = 2;
    EXPECT_TRUE(watched.trace(all_in(changed)));
    for (const char* name : {"run.vcd", "run.json", "run.pcapng"}) {
        EXPECT_FALSE(contents(one / name).empty()) << name;
        EXPECT_TRUE(contents(one / name) == contents(other / name)) << name;
        EXPECT_FALSE(contents(one / name) == contents(changed / name)) << name;
    }
}

TEST(Traces, MakeNoDifferenceToTheRun) {
    const Folder folder;
    Watched watched;
    watched.profile = eventful_profile();
    std::array<pcie::Picoseconds, 2> busy{};
    for (const bool traced : {false, true}) {
        std::unique_ptr<Traces> traces;
        watched.run(
            [&](pcie::System& system) {
                if (traced) traces = std::move(Traces::create(all_in(folder), system).value());
            },
            [&](pcie::System& system) {
                busy[traced ? 1 : 0] = system.links()[0]->statistics(1).busy;
                if (!traces) return;
                EXPECT_TRUE(traces->finish());
                traces.reset();
            });
    }
    EXPECT_GT(busy[0], 0U);
    EXPECT_EQ(busy[0], busy[1]);
}

TEST(Traces, SayWhichLinksThereAre) {
    const Folder folder;
    Watched().run([&](pcie::System& system) {
        const auto traces = Traces::create({.vcd = folder / "run.vcd", .link = "sw9"}, system);
        ASSERT_FALSE(traces);
        EXPECT_THAT(traces.error().message, testing::AllOf(testing::HasSubstr("\"sw9\""),
                                                           testing::HasSubstr("sw0_0_link, sw0_1_link")));
    });
    EXPECT_FALSE(std::filesystem::exists(folder / "run.vcd"));
}

TEST(Traces, OneThatCannotBeWrittenLeavesNoOther) {
    const Folder folder;
    Watched().run([&](pcie::System& system) {
        const auto traces =
            Traces::create({.vcd = folder / "run.vcd", .perfetto = folder / "no" / "run.json"}, system);
        ASSERT_FALSE(traces);
        EXPECT_THAT(traces.error().message, testing::HasSubstr((folder / "no" / "run.json").string()));
    });
    EXPECT_FALSE(std::filesystem::exists(folder / "run.vcd"));
}

}  // namespace
}  // namespace ntblab::sim
