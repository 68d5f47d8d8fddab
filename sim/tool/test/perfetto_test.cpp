// SPDX-License-Identifier: MIT
// The timeline is JSON as the trace event format has it, and what the viewer needs is in it.
#include "traces/perfetto.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "traced_run.h"

namespace ntblab::sim {
namespace {

using nlohmann::json;

class Perfetto : public testing::Test {
  protected:
    json run(const Watched& watched) {
        const auto path = folder_ / "run.json";
        std::unique_ptr<Traces> traces;
        watched.run(
            [&](pcie::System& system) {
                traces = std::move(Traces::create({.perfetto = path}, system).value());
                traces->observers().add(sent);
            },
            [&](pcie::System&) {
                EXPECT_TRUE(traces->finish());
                traces.reset();
            });
        return json::parse(contents(path));
    }
    Sent sent;

  private:
    Folder folder_;
};

std::map<unsigned, std::string> names(const json& trace, const std::string& what, const std::string& key) {
    std::map<unsigned, std::string> result;
    for (const json& event : trace.at("traceEvents"))
        if (event.at("ph") == "M" && event.at("name") == what) {
            EXPECT_TRUE(result.emplace(event.at(key), event.at("args").at("name")).second);
        }
    return result;
}

TEST_F(Perfetto, HasAProcessForEachHostLinkAndSwitch) {
    const json trace = run({});
    std::set<std::string> processes;
    for (const auto& [pid, name] : names(trace, "process_name", "pid")) processes.insert(name);
    EXPECT_THAT(processes, testing::UnorderedElementsAre("host a", "host b", "switch sw0", "link sw0_0_link",
                                                         "link sw0_1_link"));
}

TEST_F(Perfetto, HasASliceForEachTlpAndDllpOnAWire) {
    Watched watched;
    watched.profile = eventful_profile();
    const json trace = run(watched);
    const auto processes = names(trace, "process_name", "pid");
    const auto tracks = names(trace, "thread_name", "tid");
    std::multiset<std::string> expected, found;
    for (const Sent::Entry& entry : sent.tlps)
        expected.insert(fmt::format("link {} from{} TLPs {} {} {} B {}", entry.link, entry.side,
                                    entry.wire.begin, pcie::name_of(entry.tlp), entry.tlp.length,
                                    entry.wire.again));
    for (const Sent::DllpEntry& entry : sent.dllps)
        expected.insert(fmt::format("link {} from{} DLLPs {} {}", entry.link, entry.side, entry.wire.begin,
                                    pcie::name_of(entry.dllp.kind)));
    std::uint64_t stalls = 0;
    for (const json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X") continue;
        const std::string track = tracks.at(event.at("tid"));
        const std::string prefix = fmt::format("{} {} {} {}", processes.at(event.at("pid")), track,
                                               event.at("args").at("begin_ps").get<std::uint64_t>(),
                                               event.at("name").get<std::string>());
        if (track.ends_with("TLPs"))
            found.insert(fmt::format("{} {}", prefix, event.at("args").at("replay").get<bool>()));
        if (track.ends_with("DLLPs") && event.at("name") != "SKP") found.insert(prefix);
        if (track.ends_with("stalls")) ++stalls;
    }
    EXPECT_EQ(found, expected);
    EXPECT_GT(sent.stalls, 0U);
    EXPECT_EQ(stalls, sent.stalls);
}

// Slices of a track that overlap would be drawn into each other.
TEST_F(Perfetto, SlicesOfATrackFollowEachOther) {
    Watched watched;
    watched.profile = eventful_profile();
    watched.workload.operation = Operation::dma_read;
    const json trace = run(watched);
    std::map<unsigned, std::map<std::uint64_t, std::uint64_t>> tracks;
    for (const json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X") continue;
        const std::uint64_t begin = event.at("args").at("begin_ps"), end = event.at("args").at("end_ps");
        EXPECT_EQ(std::llround(event.at("ts").get<double>() * 1e6), begin);
        EXPECT_EQ(std::llround(event.at("dur").get<double>() * 1e6), end - begin);
        EXPECT_TRUE(tracks[event.at("tid")].emplace(begin, end).second || begin == end);
    }
    EXPECT_GT(tracks.size(), 10U);
    for (const auto& [track, slices] : tracks) {
        std::uint64_t free = 0;
        for (const auto& [begin, end] : slices) {
            EXPECT_GE(begin, free) << "track " << track;
            free = end;
        }
    }
}

// An arrow begins once, in the slice of a TLP, and all its steps are in slices of that TLP; or it ends in the
// first slice of one that follows from it.
TEST_F(Perfetto, ArrowsFollowATlp) {
    const json trace = run({.workload = {.operation = Operation::dma_write, .transfers = 3}, .size = 2000});
    std::map<std::pair<unsigned, double>, json> slices;
    for (const json& event : trace.at("traceEvents"))
        if (event.at("ph") == "X" && event.at("cat") == "tlp")
            slices[{event.at("tid"), event.at("ts")}] = event.at("args");
    std::set<std::uint64_t> begun, followed;
    std::map<std::uint64_t, unsigned> steps;
    for (const json& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph");
        if (phase != "s" && phase != "t" && phase != "f") continue;
        const std::uint64_t id = event.at("id");
        const json& args = slices.at({event.at("tid"), event.at("ts")});
        if (phase == "f") {
            EXPECT_EQ(args.at("cause"), id);
            followed.insert(id);
            continue;
        }
        EXPECT_EQ(args.at("serial"), id);
        EXPECT_EQ(begun.insert(id).second, phase == "s");
        ++steps[id];
    }
    for (const std::uint64_t id : followed) EXPECT_TRUE(begun.contains(id)) << id;
    EXPECT_FALSE(followed.empty());
    // A write of the engine: turnaround, hop, link, ingress, memory.
    unsigned most = 0;
    for (const auto& [id, count] : steps) most = std::max(most, count);
    EXPECT_EQ(most, 5U);
}

TEST_F(Perfetto, CountsCreditsAndQueues) {
    Watched watched;
    watched.profile = eventful_profile();
    const json trace = run(watched);
    std::map<std::string, std::int64_t> last, least;
    for (const json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "C") continue;
        for (const auto& [key, value] : event.at("args").items()) {
            const std::string name = fmt::format("{} {} {}", event.at("pid").get<unsigned>(),
                                                 event.at("name").get<std::string>(), key);
            least.try_emplace(name, value);
            least[name] = std::min<std::int64_t>(least[name], value);
            last[name] = value;
        }
    }
    bool exhausted = false;
    for (const auto& [name, value] : least) {
        EXPECT_GE(value, 0) << name;
        if (name.ends_with("TLPs")) {
            EXPECT_EQ(last[name], 0) << name;
        }
        if (name.ends_with("PH")) exhausted = exhausted || value == 0;
    }
    EXPECT_TRUE(exhausted);
}

}  // namespace
}  // namespace ntblab::sim
