// SPDX-License-Identifier: MIT
// What is written of runs.
#include "results.h"

#include "bench.h"
#include "statistics_json.h"

namespace ntblab::sim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Csv, QuotesWhatHasTo) {
    const Outcome outcome{};
    nlohmann::ordered_json runs = {{{"conditions", {{"plain", "a b"}, {"a,b", "x\"y"}, {"n", 5}}},
                                    {"points", {outcome_json(outcome, hardware_of().topology)}}}};
    const std::string text = results_csv(runs);
    EXPECT_THAT(text, StartsWith("plain,\"a,b\",n,size,"));
    EXPECT_THAT(text, HasSubstr("\na b,\"x\"\"y\",5,0,"));
}

void expect_counted(const nlohmann::ordered_json& module, const char* busy, const std::string& name) {
    EXPECT_TRUE(module.contains(busy)) << name << " has no " << busy;
    ASSERT_TRUE(module.contains("queue")) << name;
    for (const auto& bin : module["queue"])
        EXPECT_TRUE(bin.contains("up_to") && bin.contains("count")) << name;
}

TEST(Statistics, EachModuleHasBusyTimeAndTheDepthOfItsQueue) {
    const Hardware hardware = hardware_of();
    const Workload workload = workload_of(Operation::dma_read, 20, 4);
    const auto all = simulate(hardware, workload, {{0, 1}}, 4096, {}).statistics;
    for (const auto& [name, sides] : all["links"].items())
        for (const auto& [side, direction] : sides.items()) expect_counted(direction, "busy_ps", name + side);
    for (const auto& [name, ntb] : all["ntbs"].items())
        for (const char* from : {"from_host", "from_fabric"})
            expect_counted(ntb[from], "busy_ps", name + from);
    for (const auto& [name, engine] : all["dma"].items()) expect_counted(engine, "busy_ps", name);
    for (const auto& [name, host] : all["hosts"].items()) {
        expect_counted(host, "ports_busy_ps", name);
        expect_counted(host["cpu"], "busy_ps", name);
        expect_counted(host["iommu"], "busy_ps", name);
    }
    // What read from the peer was busy, and the other engine was not.
    EXPECT_GT(all["dma"].front()["busy_ps"].get<std::uint64_t>(), 0U);
    EXPECT_EQ(all["dma"].back()["busy_ps"].get<std::uint64_t>(), 0U);
    EXPECT_EQ(all["dma"].front()["queue"].size(), 3U);  // 0, 1, 2 to 3
}

}  // namespace
}  // namespace ntblab::sim
