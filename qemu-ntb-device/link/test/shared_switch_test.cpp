// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <ntblink/shared_switch.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "memory_file.h"

namespace ntblink {
namespace {

switchtec::ChipConfig pair_config() {
    switchtec::ChipConfig config;
    config.partitions.resize(2);
    config.partitions[0].targets = 2;
    config.partitions[1].targets = 1;
    return config;
}

std::vector<ntblab::UniqueFd> events_of(SharedSwitch& shared) {
    std::vector<ntblab::UniqueFd> events;
    for (unsigned i = 0; i < shared.partitions(); ++i) events.emplace_back(::dup(shared.event_fd(i)));
    return events;
}

bool readable(int fd) {
    pollfd entry{fd, POLLIN, 0};
    return ::poll(&entry, 1, 0) == 1;
}

class SharedSwitchTest : public ::testing::Test {
  protected:
    ntblab::Result<SharedSwitch> open_again() {
        return SharedSwitch::open(ntblab::UniqueFd(::dup(shared_.memory_fd())), events_of(shared_));
    }
    SharedSwitch shared_ = SharedSwitch::create("sw0", pair_config()).value();
};

TEST_F(SharedSwitchTest, TwoMappingsAreOneSwitch) {
    auto other = open_again();
    ASSERT_TRUE(other) << other.error().message;
    shared_.lock().chip().attach(1);
    EXPECT_TRUE(other->lock().chip().attached(1));
    EXPECT_FALSE(other->lock().chip().attached(0));
}

TEST_F(SharedSwitchTest, WakeSignalsOncePerLook) {
    shared_.wake(2);
    EXPECT_FALSE(readable(shared_.event_fd(0)));
    ASSERT_TRUE(readable(shared_.event_fd(1)));
    std::uint64_t count = 0;
    shared_.wake(2);
    ASSERT_EQ(::read(shared_.event_fd(1), &count, sizeof(count)), 8);
    EXPECT_EQ(count, 1U);
    shared_.wake(2);
    EXPECT_FALSE(readable(shared_.event_fd(1)));
    shared_.looking(1);
    shared_.wake(2);
    EXPECT_TRUE(readable(shared_.event_fd(1)));
}

TEST_F(SharedSwitchTest, WakeAllSignalsWhateverWasSignalled) {
    shared_.slot(0).signalled = 1;  // As left by a process that died before it wrote the eventfd.
    shared_.wake(1);
    EXPECT_FALSE(readable(shared_.event_fd(0)));
    shared_.wake_all();
    EXPECT_TRUE(readable(shared_.event_fd(0)));
}

TEST_F(SharedSwitchTest, WakeOfPartitionsThatAreNotThereIsHarmless) {
    shared_.wake(~std::uint64_t{3});
}

TEST_F(SharedSwitchTest, LockOfADeadProcessIsTaken) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        auto guard = shared_.lock();
        guard.chip().attach(0);
        ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(shared_.lock().chip().attached(0));
    EXPECT_TRUE(shared_.lock().chip().attached(0));
}

TEST_F(SharedSwitchTest, OpenRefusesMemoryThatCouldShrink) {
    auto refused = SharedSwitch::open(test::memory_file(1 << 20, false), events_of(shared_));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("sealed"), std::string::npos);
}

TEST_F(SharedSwitchTest, OpenRefusesOtherMemory) {
    EXPECT_FALSE(SharedSwitch::open(test::memory_file(16), events_of(shared_)));
    auto refused = SharedSwitch::open(test::memory_file(1 << 20), events_of(shared_));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("magic"), std::string::npos);
}

TEST_F(SharedSwitchTest, OpenChecksEveryFieldOfTheHeader) {
    const auto corrupt = [this](std::size_t offset) {
        auto* memory = static_cast<std::byte*>(
            ::mmap(nullptr, shared_.size(), PROT_READ | PROT_WRITE, MAP_SHARED, shared_.memory_fd(), 0));
        memory[offset] ^= std::byte{0x40};
        const bool opened = open_again().has_value();
        memory[offset] ^= std::byte{0x40};
        ::munmap(memory, shared_.size());
        return opened;
    };
    for (const std::size_t field :
         {offsetof(SegmentHeader, magic), offsetof(SegmentHeader, version),
          offsetof(SegmentHeader, header_size), offsetof(SegmentHeader, mutex_size),
          offsetof(SegmentHeader, partitions), offsetof(SegmentHeader, state_offset),
          offsetof(SegmentHeader, state_size)}) {
        EXPECT_FALSE(corrupt(field)) << "field at " << field;
    }
    EXPECT_TRUE(open_again());
}

TEST_F(SharedSwitchTest, OpenRefusesAnotherNumberOfEventfds) {
    auto events = events_of(shared_);
    events.pop_back();
    auto refused = SharedSwitch::open(ntblab::UniqueFd(::dup(shared_.memory_fd())), std::move(events));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("partition count"), std::string::npos);
}

}  // namespace
}  // namespace ntblink
