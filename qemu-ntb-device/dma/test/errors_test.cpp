// SPDX-License-Identifier: MIT
// What is wrong ends in a status, each time, and no other channel notices.
#include "driver.h"

namespace switchtec::dma::test {
namespace {

constexpr unsigned kTimes = 50;
constexpr std::uint64_t kNowhere = 0x7000000000;

class Errors : public testing::Test {
  protected:
    Errors() {
        for (Driver* d : {&driver, &other}) {
            d->init();
            d->alloc();
        }
    }
    void other_works() {
        other.submit(copy_entry(other.data() + 4096, other.data(), 512));
        EXPECT_EQ(other.wait().status, 0);
        EXPECT_EQ(other.status() & kReasons, 0);
    }
    // Each entry ends with that status and byte count, and the one after it well.
    void ends_with(const SubmissionEntry& entry, std::uint32_t status, std::uint32_t count = 0) {
        for (unsigned i = 0; i < kTimes; ++i) {
            const auto id = driver.submit(entry);
            const auto done = driver.wait();
            EXPECT_EQ(done.id, id);
            EXPECT_EQ(done.status, status);
            EXPECT_EQ(done.count, count);
            driver.submit(copy_entry(driver.data() + 4096, driver.data(), 8));
            EXPECT_EQ(driver.wait().status, 0);
            other_works();
        }
        EXPECT_EQ(driver.status() & (kPaused | kReasons), 0);
        // The last of them may have been completed and not yet counted.
        EXPECT_TRUE(eventually([&] { return info().descriptors == 2 * kTimes; }));
        EXPECT_EQ(info().errors, kTimes);
        EXPECT_EQ(info().last_error, status);
    }
    // What makes no sense pauses the channel with that reason; `repair` and resume, and it works.
    template <typename Break, typename Repair>
    void pauses(std::uint32_t reason, Break break_it, Repair repair) {
        for (unsigned i = 0; i < kTimes; ++i) {
            host.clear_interrupts();
            break_it();
            ASSERT_TRUE(eventually([&] { return (driver.status() & kPaused) != 0; }));
            EXPECT_EQ(driver.status() & 0x3FFFE000, reason);
            EXPECT_EQ(host.interrupts[0], 1);
            other_works();
            repair();
            driver.resume();
            EXPECT_EQ(driver.status() & kReasons, 0);
            EXPECT_EQ(driver.wait().status, 0);
        }
        EXPECT_EQ(info().pauses, kTimes);
    }
    void submit_one() { driver.submit(copy_entry(driver.data() + 4096, driver.data(), 8, 0)); }
    NtbDmaChannelInfo info() {
        NtbDmaChannelInfo info{};
        EXPECT_TRUE(ntb_dma_inspect(host.dma, 0, &info));
        return info;
    }

    FakeHost host;
    Driver driver{host, 0}, other{host, 1};
};

TEST_F(Errors, CountOfZero) {
    ends_with(copy_entry(kWindow, driver.data(), 0), kLengthError);
}
TEST_F(Errors, CountBeyondOneMegabyte) {
    ends_with(copy_entry(kWindow, driver.data(), (1U << 20) + 1), kLengthError);
}
TEST_F(Errors, LargestCount) {
    ends_with(copy_entry(kWindow, driver.data(), 0xFFFFFFFF), kLengthError);
}
TEST_F(Errors, ImmediateBeyondEightBytes) {
    ends_with(entry_of(2, driver.data(), 0, 9), kLengthError);
}
TEST_F(Errors, SourceOutsideRam) {
    ends_with(copy_entry(kWindow, kNowhere, 4096), kUnsupportedRequest);
}
TEST_F(Errors, SourceThatEndsOutsideRam) {
    // One chunk of it is there.
    ends_with(copy_entry(kWindow, (32U << 20) - NTB_DMA_CHUNK, 2 * NTB_DMA_CHUNK), kUnsupportedRequest,
              NTB_DMA_CHUNK);
}
TEST_F(Errors, SourceBeyondTheEndOfAllAddresses) {
    ends_with(copy_entry(kWindow, ~0ULL - 7, 4096), kUnsupportedRequest);
}
TEST_F(Errors, DestinationOutsideRam) {
    ends_with(copy_entry(kNowhere, driver.data(), 4096), kCompleterAbort);
}
TEST_F(Errors, DestinationBeyondTheEndOfAllAddresses) {
    ends_with(copy_entry(~0ULL - 7, driver.data(), 4096), kCompleterAbort);
}
TEST_F(Errors, DestinationInAClosedWindow) {
    host.window_open = false;
    ends_with(copy_entry(kWindow, driver.data(), 4096), kCompleterAbort);
}
TEST_F(Errors, WriteImmediateToNowhere) {
    ends_with(entry_of(2, kNowhere, 1, 8), kCompleterAbort);
}
TEST_F(Errors, ReadImmediateFromNowhere) {
    ends_with(entry_of(1, 0, kNowhere, 8), kReadImmediateUnsupported);
}
TEST_F(Errors, FabricModeOfACopy) {
    ends_with(copy_entry(kWindow, driver.data(), 64, kFabricMode | kInterrupt), kBadConnection);
}

// Only of this window: the engine calls what was given up, though nobody has asked for it, a time-out.
TEST_F(Errors, SourceThatDoesNotAnswer) {
    NtbDmaOps ops{};
    ops.read = [](void* opaque, unsigned, std::uint64_t address, void* data, std::size_t size) {
        std::memcpy(data, static_cast<FakeHost*>(opaque)->at(address, size), size);
        return true;
    };
    ops.write = [](void* opaque, unsigned, std::uint64_t address, const void* data, std::size_t size) {
        std::memcpy(static_cast<FakeHost*>(opaque)->at(address, size), data, size);
        return true;
    };
    ops.copy = [](void*, unsigned, std::uint64_t, std::uint64_t source, std::size_t) {
        return source == 0 ? NTB_DMA_SOURCE_TIMED_OUT : NTB_DMA_CANCELLED;
    };
    ops.interrupt = [](void* opaque, unsigned, unsigned) { ++static_cast<FakeHost*>(opaque)->interrupts[9]; };
    const NtbDmaConfig config{.channels = 1,
                              .vectors = 0,
                              .firmware_version = 0,
                              .protocol_version = 0,
                              .hardware_version = 0,
                              .ops = &ops,
                              .opaque = &host};
    char error[NTB_DMA_ERROR_SIZE];
    NtbDma* own = std::exchange(host.dma, ntb_dma_open(&config, error));
    ASSERT_NE(host.dma, nullptr) << error;
    ntb_dma_set_bus_master(host.dma, true);
    driver.alloc();
    driver.submit(copy_entry(0, 0, 8));
    driver.submit(copy_entry(0, 64, 8));
    EXPECT_TRUE(eventually([&] { return host.interrupts[9] == 2; }));
    ntb_dma_close(std::exchange(host.dma, own));
    EXPECT_EQ(host.get<CompletionEntry>(driver.cq()).status, kReadTimeout);
    EXPECT_EQ(host.get<CompletionEntry>(driver.cq() + 32).status, kReadTimeout);
}

TEST_F(Errors, ReservedOpcodesCompleteAndPause) {
    unsigned pauses = 0;
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
        if (opcode <= 2 || opcode == 7) continue;
        host.clear_interrupts();
        driver.prepare(entry_of(static_cast<std::uint8_t>(opcode), kWindow, driver.data(), 8));
        submit_one();
        const auto done = driver.wait();
        EXPECT_EQ(done.status, kInvalidCommand);
        EXPECT_EQ(done.count, 0);
        ASSERT_TRUE(eventually([&] { return (driver.status() & kPaused) != 0; }));
        EXPECT_EQ(driver.status() & 0x3FFFE000, 1U << 28);
        EXPECT_EQ(host.interrupts[0], 1);
        EXPECT_EQ(host.interrupts[1], 1);
        EXPECT_STREQ(info().state, "paused");
        EXPECT_STREQ(info().pause_reason, "a submission entry has a reserved opcode");
        EXPECT_FALSE(driver.poll());
        other_works();
        driver.resume();
        EXPECT_EQ(driver.wait().status, 0);
        EXPECT_EQ(info().pauses, ++pauses);
    }
}

TEST_F(Errors, SubmissionRingOfSizeZero) {
    pauses(
        kReasonFetch, [&] { driver.set(Reg::SqSize, 0), submit_one(); },
        [&] { driver.set(Reg::SqSize, kMaxRing); });
}
TEST_F(Errors, CompletionRingOfSizeZero) {
    pauses(
        kReasonFetch, [&] { driver.set(Reg::CqSize, 0), submit_one(); },
        [&] { driver.set(Reg::CqSize, kMaxRing); });
}
TEST_F(Errors, RingsThatAreTooLarge) {
    pauses(
        kReasonFetch, [&] { driver.set(Reg::SqSize, 0xFFFF), submit_one(); },
        [&] { driver.set(Reg::SqSize, kMaxRing); });
}
TEST_F(Errors, RingsThatAreNotAligned) {
    pauses(
        kReasonFetch, [&] { driver.set(Reg::CqBaseLow, driver.cq() + 8), submit_one(); },
        [&] { driver.set(Reg::CqBaseLow, driver.cq()); });
}
TEST_F(Errors, SubmissionRingOutsideRam) {
    pauses(
        kReasonFetch, [&] { driver.set(Reg::SqBaseHigh, 0x70), submit_one(); },
        [&] { driver.set(Reg::SqBaseHigh, 0); });
}
TEST_F(Errors, CompletionRingOutsideRam) {
    pauses(
        kReasonCompletion, [&] { driver.set(Reg::CqBaseHigh, 0x70), submit_one(); },
        [&] { driver.set(Reg::CqBaseHigh, 0); });
    EXPECT_EQ(info().completion_failures, kTimes);
}
TEST_F(Errors, DoorbellBeyondTheRing) {
    pauses(
        kReasonFetch, [&] { driver.set(Reg::SqTail, kMaxRing); }, [&] { submit_one(); });
}

TEST_F(Errors, NothingIsOverwrittenInAFullCompletionRing) {
    Driver small(host, 2, 8);
    small.init();
    small.alloc();
    small.consume(false);
    for (unsigned round = 0; round < kTimes; ++round) {
        for (unsigned i = 0; i < 7; ++i) small.submit(entry_of(7, 0, 0, 0, 0));
        for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(small.wait().status, 0);
        // Its entries are free, but not those of the completion ring.
        small.submit(entry_of(7, 0, 0, 0, 0));
        small.set(Reg::ChannelControl, kPause);
        EXPECT_TRUE(eventually([&] { return (small.status() & kPaused) != 0; }));
        EXPECT_FALSE(small.poll());
        small.set(Reg::ChannelControl, 0);
        other_works();
        small.consume(true);
        EXPECT_EQ(small.wait().status, 0);
        small.consume(false);
    }
}

TEST_F(Errors, ChannelsCannotShareBuffers) {
    Driver third(host, 2);
    const auto mine = third.get(Reg::ValidEnable);
    EXPECT_EQ(mine & kValid, kValid);
    const std::uint64_t others = 16U << 12 | 8U << 2;  // 16 of channels 0 and 1.
    const std::uint64_t none = mine & ~(0x1FFULL << 12);
    const std::uint64_t too_many = none | 33U << 12;
    const std::uint64_t beyond = 0x1FF << 2 | 1U << 12;
    for (const std::uint64_t wrong : {others, none, too_many, beyond}) {
        third.set(Reg::ValidEnable, wrong | kEnable);
        EXPECT_EQ(third.get(Reg::ValidEnable) & (kEnable | kValid), 0) << std::hex << wrong;
    }
    third.set(Reg::ValidEnable, mine | kEnable | 8U << 23);
    EXPECT_EQ(third.get(Reg::ValidEnable), mine | kEnable | kValid | 8U << 23);
    other_works();
}

TEST(Open, SaysWhatItCannotDo) {
    char error[NTB_DMA_ERROR_SIZE];
    NtbDmaConfig config{};
    EXPECT_EQ(ntb_dma_open(&config, error), nullptr);
    EXPECT_NE(std::string(error).find("read, write, copy and interrupt"), std::string::npos) << error;
    config.channels = 65;
    EXPECT_EQ(ntb_dma_open(&config, error), nullptr);
    EXPECT_NE(std::string(error).find("65 DMA channels"), std::string::npos) << error;
    config.channels = 1;
    config.vectors = 66;
    EXPECT_EQ(ntb_dma_open(&config, nullptr), nullptr);
}

}  // namespace
}  // namespace switchtec::dma::test
