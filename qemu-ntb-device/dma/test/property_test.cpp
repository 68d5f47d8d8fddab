// SPDX-License-Identifier: MIT
// Random work on many channels at once, against a reference that does it one after the other.
#include <random>

#include "driver.h"

namespace switchtec::dma::test {
namespace {

constexpr std::uint32_t kArea = 32768;  // Of each channel's own memory; nothing of it is another's.

// What a descriptor does to its channel's area, and how it ends.
CompletionEntry reference(std::span<std::byte> area, std::uint64_t base, const SubmissionEntry& entry) {
    const auto inside = [&](std::uint64_t address, std::uint32_t count) {
        return address >= base && address - base <= kArea && count <= kArea - (address - base);
    };
    CompletionEntry done{};
    const auto end = [&](std::uint32_t status, std::uint32_t count) {
        done.status = status;
        done.count = count;
        return done;
    };
    if (entry.opcode == 7) return end(0, 0);
    if (entry.count == 0 || entry.count > (entry.opcode == 0 ? kMaxCount : 8U)) return end(kLengthError, 0);
    const std::uint64_t from = entry.source();
    const std::uint64_t to = entry.destination();
    if (entry.opcode == 1) {
        if (!inside(from, entry.count)) return end(kReadImmediateUnsupported, 0);
        std::memcpy(&done.immediate_low, &area[from - base], entry.count);
        return end(0, entry.count);
    }
    if (entry.opcode == 0 && !inside(from, entry.count)) return end(kUnsupportedRequest, 0);
    if (!inside(to, entry.count)) return end(kCompleterAbort, 0);
    if (entry.opcode == 0) {
        std::memmove(&area[to - base], &area[from - base], entry.count);
    } else {
        std::memcpy(&area[to - base], &from, entry.count);
    }
    return end(0, entry.count);
}

SubmissionEntry random_entry(std::mt19937& random, std::uint64_t base) {
    constexpr std::uint8_t kOpcodes[] = {0, 0, 0, 0, 1, 2, 7};
    const std::uint8_t opcode = kOpcodes[random() % std::size(kOpcodes)];
    // An eighth of the addresses is outside of everything.
    const auto address = [&] { return random() % 8 == 0 ? 0x7000000000ULL : base + random() % kArea; };
    std::uint32_t count = opcode == 0 ? random() % 3000 : random() % 10;
    if (random() % 50 == 0) count = kMaxCount + 1;
    SubmissionEntry entry = entry_of(opcode, address(), address(), count, random() % 2 == 0 ? kInterrupt : 0);
    // Within the area or nowhere, not in a neighbour's.
    const auto clip = [&](std::uint64_t at) { return at >= base + kArea - std::min(count, kArea); };
    if (clip(entry.source()) || clip(entry.destination())) entry.count = std::min(entry.count, 0U);
    return entry;
}

TEST(Property, ManyChannelsDoWhatTheReferenceDoes) {
    constexpr unsigned kChannels = 8;
    constexpr unsigned kRing = 64;
    for (unsigned seed = 0; seed < 20; ++seed) {
        FakeHost host(kChannels, 16UL << 16);
        std::mt19937 random(seed);
        std::vector<Driver> drivers;
        std::vector<std::vector<std::byte>> expected;
        std::vector<std::vector<CompletionEntry>> completions(kChannels);
        std::vector<std::size_t> seen(kChannels);
        unsigned interrupts[kChannels] = {};
        for (unsigned c = 0; c < kChannels; ++c) {
            drivers.emplace_back(host, c, kRing);
            drivers[c].init();
            drivers[c].alloc();
            fill(host.memory(drivers[c].data(), kArea), c);
            expected.push_back(filled(kArea, c));
        }
        const auto collect = [&](unsigned c, bool all) {
            while (seen[c] < completions[c].size()) {
                const auto done = all ? std::optional(drivers[c].wait()) : drivers[c].poll();
                if (!done) return;
                const CompletionEntry& must = completions[c][seen[c]++];
                ASSERT_EQ(done->status, must.status);
                ASSERT_EQ(done->count, must.count);
                ASSERT_EQ(done->id, must.id);
                ASSERT_EQ(done->immediate_low, must.immediate_low);
                ASSERT_EQ(done->immediate_high, must.immediate_high);
            }
        };
        for (unsigned n = 0; n < 3000; ++n) {
            const unsigned c = random() % kChannels;
            Driver& driver = drivers[c];
            collect(c, driver.full());
            const SubmissionEntry entry = random_entry(random, driver.data());
            auto must = reference(expected[c], driver.data(), entry);
            must.id = driver.prepare(entry);
            completions[c].push_back(must);
            if ((entry.control & kInterrupt) != 0) ++interrupts[c];
            if (random() % 4 == 0 || driver.full()) driver.issue();
            switch (random() % 60) {
                case 0:
                    driver.pause();
                    driver.resume();
                    break;
                case 1:
                    driver.halt();
                    driver.unhalt();
                    break;
                case 2:
                    ntb_dma_stop(host.dma);
                    ntb_dma_go_on(host.dma);
                    break;
                default:
                    break;
            }
        }
        for (unsigned c = 0; c < kChannels; ++c) {
            drivers[c].issue();
            collect(c, true);
            EXPECT_TRUE(same(host.memory(drivers[c].data(), kArea), expected[c]))
                << "channel " << c << ", seed " << seed;
            EXPECT_TRUE(eventually([&] { return host.interrupts[c + 1] == interrupts[c]; }));
        }
    }
}

}  // namespace
}  // namespace switchtec::dma::test
