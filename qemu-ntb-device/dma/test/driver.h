// SPDX-License-Identifier: MIT
// A channel as Linux 7.1's switchtec_dma uses it: the same accesses in the same order, without its delays.
#pragma once

#include <optional>

#include "fake_host.h"
#include "registers.h"
#include "state.h"

namespace switchtec::dma::test {

class Driver {
  public:
    /// The channel's memory: 4 MiB at 4 MiB * (channel + 1), the rings in its first half; with at most 256
    /// entries 64 KiB likewise.
    Driver(FakeHost& host, unsigned channel, unsigned size = kMaxRing)
        : host_(host),
          channel_(channel),
          size_(size),
          memory_(size <= 256 ? 1U << 16 : 1U << 22),
          sq_((channel + 1ULL) * memory_),
          cq_(sq_ + memory_ / 4) {}

    std::uint64_t data() const { return sq_ + memory_ / 2; }  ///< 2 MiB, or 32 KiB, for a test.
    std::uint64_t cq() const { return cq_; }
    std::uint64_t sq() const { return sq_; }

    std::uint64_t get(Reg reg) { return host_.reg(offset_of(reg, channel_), width(reg)); }
    void set(Reg reg, std::uint64_t value) { host_.set(offset_of(reg, channel_), value, width(reg)); }

    void init() {
        set(Reg::ChannelControl, kPause);
        reset();
        set(Reg::PerfConfig, 1U << 2 | 3U << 4 | 6U << 12 | 1U << 24);
        set(Reg::ValidEnable, get(Reg::ValidEnable));  // As Linux 7.1, which means to set the threshold.
    }
    void alloc() {
        std::memset(host_.at(sq_, size_ * 32UL), 0, size_ * 32UL);
        std::memset(host_.at(cq_, size_ * 32UL), 0, size_ * 32UL);
        set(Reg::SqBaseLow, sq_ & 0xFFFFFFFF);
        set(Reg::SqBaseHigh, sq_ >> 32);
        set(Reg::CqBaseLow, cq_ & 0xFFFFFFFF);
        set(Reg::CqBaseHigh, cq_ >> 32);
        set(Reg::SqSize, size_);
        set(Reg::CqSize, size_);
        start_over();
    }
    void free() {
        halt();
        for (const Reg reg : {Reg::SqBaseLow, Reg::SqBaseHigh, Reg::CqBaseLow, Reg::CqBaseHigh}) set(reg, 0);
        set(Reg::ValidEnable, get(Reg::ValidEnable) & ~kEnable);
    }
    /// terminate_all and synchronize, with fresh rings: Linux leaves the old completions there, see README.
    void terminate() {
        set(Reg::ChannelControl, kPause);
        reset();
        // Until what was in hand has ended. Linux waits 1 ms.
        ASSERT_TRUE(eventually([&] { return host_.running == 0; }));
        std::memset(host_.at(cq_, size_ * 32UL), 0, size_ * 32UL);
        start_over();
    }
    void halt() {
        set(Reg::ChannelControl, kHalt);
        ASSERT_TRUE(eventually([&] { return (status() & kHalted) != 0; }));
    }
    void unhalt() {
        set(Reg::ChannelControl, get(Reg::ChannelControl) & ~kHalt);
        ASSERT_TRUE(eventually([&] { return (status() & kHalted) == 0; }));
    }
    void pause() {
        set(Reg::ChannelControl, kPause);
        ASSERT_TRUE(eventually([&] { return (status() & kPaused) != 0; }));
    }
    void resume() {
        set(Reg::ChannelControl, 0);
        ASSERT_TRUE(eventually([&] { return (status() & kPaused) == 0; }));
    }
    std::uint32_t status() {
        return static_cast<std::uint32_t>(host_.reg(offset_of(Reg::ChannelStatus, channel_), 4));
    }

    bool full() const { return (head_ + 1) % size_ == tail_; }
    /// Puts an entry into the ring. Its id, which this gives it, is returned.
    std::uint16_t prepare(SubmissionEntry entry) {
        EXPECT_FALSE(full());
        entry.id = id_++;
        entry.destination_fabric_id = entry.source_fabric_id = 0xFFFF;
        host_.put(sq_ + head_ * 32UL, entry);
        head_ = (head_ + 1) % size_;
        return entry.id;
    }
    void issue() { set(Reg::SqTail, head_); }
    std::uint16_t submit(const SubmissionEntry& entry) {
        const auto id = prepare(entry);
        issue();
        return id;
    }
    /// The next completion, if it is there.
    std::optional<CompletionEntry> poll() {
        std::byte* at = host_.at(cq_ + cq_tail_ * 32UL, 32);
        const std::uint32_t last = std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at + kCompletionBody))
                                       .load(std::memory_order_acquire);
        if (last >> 16 == phase_) return std::nullopt;
        CompletionEntry entry{};
        std::memcpy(&entry, at, kCompletionBody);
        entry.id = static_cast<std::uint16_t>(last);
        entry.phase = static_cast<std::uint16_t>(last >> 16);
        cq_tail_ = (cq_tail_ + 1) % size_;
        if (consume_) set(Reg::CqHead, cq_tail_);
        if (cq_tail_ == 0) phase_ ^= 1;
        tail_ = (tail_ + 1) % size_;
        return entry;
    }
    CompletionEntry wait() {
        std::optional<CompletionEntry> entry;
        EXPECT_TRUE(eventually([&] { return (entry = poll()).has_value(); }));
        CompletionEntry none{};
        none.status = 0xFFFFFFFF;
        return entry.value_or(none);
    }
    /// Whether the engine is told what has been read.
    void consume(bool yes) {
        consume_ = yes;
        if (yes) set(Reg::CqHead, cq_tail_);
    }
    void start_over() {
        set(Reg::ValidEnable, get(Reg::ValidEnable) | kEnable);
        reset();
        unhalt();
        head_ = tail_ = cq_tail_ = 0;
        phase_ = id_ = 0;
    }
    void reset() {
        // 32 bits wide, as the driver does it.
        host_.set(offset_of(Reg::ChannelControl, channel_), kReset | kErrorPause, 4);
        get(Reg::CqHead);
        host_.set(offset_of(Reg::ChannelControl, channel_), kErrorPause, 4);
        get(Reg::CqHead);
    }

  private:
    static unsigned width(Reg reg) {
        for (const auto& block : register_map()) {
            for (const auto& info : block.registers) {
                if (info.id == reg) return info.size;
            }
        }
        return 0;
    }

    FakeHost& host_;
    unsigned channel_, size_, memory_;
    std::uint64_t sq_, cq_;
    unsigned head_ = 0, tail_ = 0, cq_tail_ = 0;
    std::uint16_t phase_ = 0, id_ = 0;
    bool consume_ = true;
};

inline SubmissionEntry copy_entry(std::uint64_t destination, std::uint64_t source, std::uint32_t count,
                                  std::uint8_t control = kInterrupt) {
    return {.opcode = 0,
            .control = control,
            .tlp_setting = 0,
            .reserved = 0,
            .id = 0,
            .count = count,
            .source_low = static_cast<std::uint32_t>(source),
            .source_high = static_cast<std::uint32_t>(source >> 32),
            .destination_low = static_cast<std::uint32_t>(destination),
            .destination_high = static_cast<std::uint32_t>(destination >> 32),
            .destination_fabric_id = 0,
            .source_fabric_id = 0};
}
inline SubmissionEntry entry_of(std::uint8_t opcode, std::uint64_t destination, std::uint64_t source,
                                std::uint32_t count, std::uint8_t control = kInterrupt) {
    SubmissionEntry entry = copy_entry(destination, source, count, control);
    entry.opcode = opcode;
    return entry;
}

/// Bytes that tell seeds and places apart.
inline void fill(std::span<std::byte> bytes, unsigned seed) {
    std::byte block[4099];
    std::uint32_t x = seed * 2654435761U + 1;
    for (std::byte& b : block) {
        x = x * 1664525U + 1013904223U;
        b = static_cast<std::byte>(x >> 24);
    }
    for (std::size_t done = 0; done < bytes.size(); done += sizeof(block))
        std::memcpy(bytes.data() + done, block, std::min(sizeof(block), bytes.size() - done));
}
inline std::vector<std::byte> filled(std::size_t size, unsigned seed) {
    std::vector<std::byte> bytes(size);
    fill(bytes, seed);
    return bytes;
}
inline bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace switchtec::dma::test
