// SPDX-License-Identifier: MIT
#include "pcie/egress_queue.h"

#include <gtest/gtest.h>

namespace ntblab::pcie {
namespace {

class EgressQueueTest : public testing::Test {
  protected:
    Tlp& add(TlpType type, std::uint32_t flow = 0) {
        Tlp& tlp = pool.make(type);
        tlp.flow = flow;
        queue.push(tlp);
        return tlp;
    }
    Tlp* choose(Picoseconds time = 0) {
        return queue.choose(time, [this](const Tlp& tlp) { return !starved[class_index(tlp)]; }).tlp;
    }
    Tlp* take() {
        Tlp* tlp = choose();
        if (tlp != nullptr) queue.pop(*tlp);
        return tlp;
    }

    TlpPool pool;
    EgressQueue queue{{1, 1, 2}};
    std::array<bool, kFlowClasses> starved{};
};

TEST_F(EgressQueueTest, WithoutACauseNothingPasses) {
    Tlp& read = add(TlpType::memory_read);
    Tlp& write = add(TlpType::memory_write);
    Tlp& completion = add(TlpType::completion);
    EXPECT_EQ(take(), &read);
    EXPECT_EQ(take(), &write);
    EXPECT_EQ(take(), &completion);
    EXPECT_EQ(take(), nullptr);
    EXPECT_TRUE(queue.empty());
}

// PCIe 4.0, table 2-39: row by row, with the one in the column in want of credits.
TEST_F(EgressQueueTest, PostedPassesReadsAndCompletions) {
    starved[index_of(FlowClass::non_posted)] = starved[index_of(FlowClass::completion)] = true;
    add(TlpType::memory_read);
    add(TlpType::completion);
    Tlp& write = add(TlpType::memory_write);
    EXPECT_EQ(take(), &write);
    EXPECT_EQ(take(), nullptr);
}

TEST_F(EgressQueueTest, NothingPassesPosted) {
    starved[index_of(FlowClass::posted)] = true;
    add(TlpType::memory_write);
    add(TlpType::memory_write).relaxed_ordering = true;
    add(TlpType::memory_read).relaxed_ordering = true;
    add(TlpType::completion);
    EXPECT_EQ(take(), nullptr);
}

TEST_F(EgressQueueTest, RelaxedCompletionsPassPosted) {
    starved[index_of(FlowClass::posted)] = true;
    add(TlpType::memory_write);
    Tlp& completion = add(TlpType::completion);
    completion.relaxed_ordering = true;
    EXPECT_EQ(take(), &completion);
}

TEST_F(EgressQueueTest, IdOrderedPassWhatOthersHavePosted) {
    starved[index_of(FlowClass::posted)] = true;
    add(TlpType::memory_write).requester = 1;
    Tlp& own = add(TlpType::memory_read);
    own.requester = 1;
    own.id_ordering = true;
    EXPECT_EQ(take(), nullptr);
    Tlp& completion = add(TlpType::completion);
    completion.completer = 2;
    completion.id_ordering = true;
    EXPECT_EQ(take(), &completion);
}

// The answer to a read is put here when the read comes, before its data is read: what a CPU stores until then
// is before it, as the data may be the flag that says so.
TEST_F(EgressQueueTest, CompletionsDoNotPassWhatIsPostedBeforeTheyAreReady) {
    Tlp& completion = add(TlpType::completion);
    completion.ready = 100;
    add(TlpType::memory_write).ready = 50;
    starved[index_of(FlowClass::posted)] = true;
    EXPECT_EQ(choose(100), nullptr);
    starved[index_of(FlowClass::posted)] = false;
    EXPECT_NE(choose(100), &completion);
}

TEST_F(EgressQueueTest, CompletionsPassWhatIsPostedAfterTheyAreReady) {
    Tlp& completion = add(TlpType::completion);
    completion.ready = 100;
    add(TlpType::memory_write).ready = 150;
    starved[index_of(FlowClass::posted)] = true;
    EXPECT_EQ(choose(200), &completion);
}

TEST_F(EgressQueueTest, CompletionsPassReads) {
    starved[index_of(FlowClass::non_posted)] = true;
    add(TlpType::memory_read);
    Tlp& completion = add(TlpType::completion);
    EXPECT_EQ(take(), &completion);
}

TEST_F(EgressQueueTest, FlowsDoNotWaitForEachOther) {
    starved[index_of(FlowClass::posted)] = true;
    add(TlpType::memory_write, 0);
    Tlp& read = add(TlpType::memory_read, 1);
    EXPECT_EQ(take(), &read);
}

TEST_F(EgressQueueTest, FlowsHaveTheirTurnsByWeight) {
    for (int i = 0; i < 8; ++i)
        for (const unsigned flow : {0U, 1U, 2U}) add(TlpType::memory_write, flow);
    std::string turns;
    for (int i = 0; i < 12; ++i) turns += std::to_string(take()->flow);
    EXPECT_EQ(turns, "012201220122");
}

TEST_F(EgressQueueTest, WaitsForWhatIsNotReady) {
    Tlp& write = add(TlpType::memory_write);
    write.ready = 100;
    const auto choice = queue.choose(99, [](const Tlp&) { return true; });
    EXPECT_EQ(choice.tlp, nullptr);
    EXPECT_EQ(choice.next_ready, 100U);
    EXPECT_EQ(choose(100), &write);
}

TEST_F(EgressQueueTest, TellsWhatHasNoCredits) {
    starved[index_of(FlowClass::posted)] = true;
    Tlp& write = add(TlpType::memory_write);
    const auto choice = queue.choose(0, [this](const Tlp& tlp) { return !starved[class_index(tlp)]; });
    EXPECT_EQ(choice.unaffordable, &write);
}

TEST(EgressQueueFlows, OfManyAreAllServed) {
    TlpPool pool;
    EgressQueue queue(std::vector<unsigned>(EgressQueue::kMostFlows, 1));
    for (unsigned flow = 0; flow < EgressQueue::kMostFlows; ++flow)
        for (int i = 0; i < 2; ++i) {
            Tlp& tlp = pool.make(TlpType::memory_write);
            tlp.flow = flow;
            queue.push(tlp);
        }
    for (unsigned i = 0; i < 2 * EgressQueue::kMostFlows; ++i) {
        const auto choice = queue.choose(0, [](const Tlp&) { return true; });
        ASSERT_NE(choice.tlp, nullptr);
        EXPECT_EQ(choice.tlp->flow, i % EgressQueue::kMostFlows);
        queue.pop(*choice.tlp);
    }
    EXPECT_THROW(EgressQueue(std::vector<unsigned>(EgressQueue::kMostFlows + 1, 1)), std::invalid_argument);
    EXPECT_THROW(EgressQueue(std::vector<unsigned>{}), std::invalid_argument);
    EXPECT_THROW(EgressQueue({1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace ntblab::pcie
