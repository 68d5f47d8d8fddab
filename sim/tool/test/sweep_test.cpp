// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <gmock/gmock.h>

#include "traced_run.h"

namespace ntblab::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A sweep's file in a folder of its own, with topologies beside it.
class SweepFile {
  public:
    explicit SweepFile(const std::string& text) {
        for (const char* name : {"pair.yaml", "triangle.yaml"})
            std::filesystem::copy(std::filesystem::path(TOPOLOGIES_DIR) / name, folder_ / name);
        std::ofstream(folder_ / "sweep.yaml") << text;
    }
    Result<Sweep> load() const { return load_sweep(folder_ / "sweep.yaml"); }
    std::filesystem::path results() const { return folder_ / "results"; }

  private:
    Folder folder_;
};

TEST(Sweep, RunsAreAllCombinationsAndTasksAllTheirSizes) {
    const auto sweep = SweepFile(
                           "topologies: [pair.yaml, triangle.yaml]\nworkloads: [dma-write, doorbell]\n"
                           "vary: {link.mps: [128, 256], dma.tags: [8, 16]}\nseeds: [1, 2, 3]\nsizes: 4,8\n")
                           .load();
    ASSERT_TRUE(sweep) << sweep.error().message;
    ASSERT_EQ(sweep->runs.size(), 2 * 2 * 2 * 2 * 3U);
    EXPECT_EQ(sweep->tasks.size(), 2 * sweep->runs.size());
    EXPECT_THAT(sweep->runs[3].set, ElementsAre("link.mps=128", "dma.tags=16"));
    EXPECT_EQ(sweep->runs[3].seed, 1U);
    EXPECT_THAT(sweep->runs[12].workload, "doorbell");
    EXPECT_THAT(sweep->notes, IsEmpty());
}

struct Wrong {
    const char* text;
    const char* says;
};

TEST(Sweep, WhatIsWrongHasItsPlace) {
    for (const Wrong& wrong : {
             Wrong{"topologies: [pair.yaml,\n             none.yaml]", "sweep.yaml:2:14: "},
             Wrong{"topologies: [pair.yaml]\nworkloads: [dma-write, dma]",
                   "sweep.yaml:2:24: there is no workload 'dma'; "},
             Wrong{"topologies: [pair.yaml]\nprofiles:\n  - switchtec",
                   "sweep.yaml:3:5: there is no profile 'switchtec'; "},
             Wrong{"topologies: [pair.yaml]\nworkloads: [doorbell]\nsizes: 4..64",
                   "sweep.yaml:2:13: workload 'doorbell': a doorbell is one store"},
             Wrong{"topologies: [pair.yaml]\nvary: {link.mps: [256, 4096]}",
                   "sweep.yaml:2:8: with link.mps=4096: "},
             Wrong{"topologies: [pair.yaml]\nworkloads: [pio-write]\nvary: {dma.tags: [1]}",
                   "sweep.yaml:3:8: dma.tags makes no difference to any of the runs: pio-write is of no DMA "
                   "engine"},
             Wrong{"topologies: [pair.yaml]\nvary: {link.generation: [3, 4]}",
                   "sweep.yaml:2:8: link.generation makes no difference to any of the runs: hosts' links are "
                   "the"},
         }) {
        const auto sweep = SweepFile(wrong.text).load();
        ASSERT_FALSE(sweep) << wrong.text;
        EXPECT_THAT(sweep.error().message, HasSubstr(wrong.says));
    }
}

TEST(Sweep, NotesAreToldOnce) {
    const auto sweep =
        SweepFile(
            "topologies: [pair.yaml]\nworkloads: [dma-write, dma-read]\nprofiles: [switchtec-gen5x16]\n")
            .load();
    ASSERT_TRUE(sweep);
    EXPECT_THAT(sweep->notes, ElementsAre(HasSubstr("and not the Gen5 x16 of profile 'switchtec-gen5x16'")));
}

TEST(Sweep, WhatIsDamagedIsDoneAgain) {
    const SweepFile file("topologies: [pair.yaml]\nsizes: 4..32\ntransfers: 2\n");
    const auto sweep = file.load();
    ASSERT_TRUE(sweep);
    ASSERT_TRUE(prepare_folder(*sweep, file.results()));
    for (std::size_t task = 0; task < 4; ++task) ASSERT_TRUE(do_task(*sweep, task, file.results()));
    const auto whole = merge(file.results());
    ASSERT_TRUE(whole);
    const auto path = [&](int task) { return file.results() / fmt::format("task-{:06}.json", task); };
    const std::string second = contents(path(1));
    std::ofstream(path(0)).close();                                 // empty
    std::ofstream(path(1)) << second.substr(0, second.size() / 2);  // half
    std::filesystem::copy_file(path(2), path(3),
                               std::filesystem::copy_options::overwrite_existing);  // another's
    EXPECT_FALSE(is_done(*sweep, 0, file.results()));
    EXPECT_FALSE(is_done(*sweep, 1, file.results()));
    EXPECT_TRUE(is_done(*sweep, 2, file.results()));
    EXPECT_FALSE(is_done(*sweep, 3, file.results()));
    const auto merged = merge(file.results());
    ASSERT_FALSE(merged);
    EXPECT_THAT(merged.error().message,
                HasSubstr("3 of 4 tasks have no result, or a damaged one, the first is task 0"));
    for (const std::size_t task : {0U, 1U, 3U}) ASSERT_TRUE(do_task(*sweep, task, file.results()));
    EXPECT_EQ(merge(file.results()).value(), *whole);
}

}  // namespace
}  // namespace ntblab::sim
