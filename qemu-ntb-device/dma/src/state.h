// SPDX-License-Identifier: MIT
// What a channel remembers, and the entries of its rings. Plain data without holes: it is what a snapshot
// has.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace switchtec::dma {

static_assert(std::endian::native == std::endian::little, "ring entries are used as they lie in memory");

template <typename T>
inline constexpr bool kPlain = std::is_trivially_copyable_v<T>&& std::has_unique_object_representations_v<T>;

inline constexpr std::uint32_t kMaxCount = 1U << 20;  ///< Bytes of one descriptor.
inline constexpr unsigned kMaxRing = 0x8000;          ///< Entries.
inline constexpr unsigned kMaxFetch = 64;             ///< Entries that are read at once.
inline constexpr unsigned kMaxBuffers = 511;          ///< What fits the fields of valid_en_se.
inline constexpr unsigned kMaxImmediate = 8;          ///< Bytes.

enum class Opcode : std::uint8_t { Copy = 0, ReadImmediate = 1, WriteImmediate = 2, Nop = 7 };

// SubmissionEntry::control.
inline constexpr std::uint8_t kFabricMode = 1U << 5, kInterrupt = 1U << 6;  // Bit 7, fence: see README.

struct SubmissionEntry {
    std::uint8_t opcode, control;
    std::uint16_t tlp_setting, reserved, id;
    std::uint32_t count;
    std::uint32_t source_low, source_high;  ///< Of a write immediate, the data.
    std::uint32_t destination_low, destination_high;
    std::uint16_t destination_fabric_id, source_fabric_id;

    std::uint64_t source() const { return std::uint64_t{source_high} << 32 | source_low; }
    std::uint64_t destination() const { return std::uint64_t{destination_high} << 32 | destination_low; }
};
static_assert(kPlain<SubmissionEntry> && sizeof(SubmissionEntry) == 32);

struct CompletionEntry {
    std::uint32_t immediate_low, immediate_high, reserved1, count;
    std::uint16_t sq_head, reserved2;
    std::uint32_t reserved3, status;
    std::uint16_t id, phase;  ///< Written last, together.
};
static_assert(kPlain<CompletionEntry> && sizeof(CompletionEntry) == 32);
inline constexpr unsigned kCompletionBody = 28;

// CompletionEntry::status. The driver takes D_RD_CTO for a failed read, all others for a failed write.
inline constexpr std::uint32_t kLengthError = 1U << 0, kUnsupportedRequest = 1U << 1,
                               kCompleterAbort = 1U << 2, kReadTimeout = 1U << 8,
                               kReadImmediateUnsupported = 1U << 9, kBadConnection = 1U << 14,
                               kInvalidCommand = 1U << 16;

// Registers ctrl and status.
inline constexpr std::uint8_t kPause = 1U << 0, kHalt = 1U << 1, kReset = 1U << 2, kErrorPause = 1U << 3,
                              kControlBits = kPause | kHalt | kReset | kErrorPause;
inline constexpr std::uint32_t kPaused = 1U << 9, kHalted = 1U << 10;
inline constexpr std::uint32_t kReasonCompletion = 1U << 21, kReasonOpcode = 1U << 28,
                               kReasonFetch = 1U << 29,
                               kReasons = kReasonCompletion | kReasonOpcode | kReasonFetch;

// Register valid_en_se.
inline constexpr std::uint32_t kValid = 1U << 0, kEnable = 1U << 1, kBufferMask = 0x1FF,
                               kValidEnableBits = 0xFF9FF7FE;
inline constexpr unsigned kBufferBaseShift = 2, kBufferCountShift = 12;

// Register perf_latency_selector.
inline constexpr std::uint32_t kLatencyFetch = 1U << 0, kLatencyReadImmediate = 1U << 2,
                               kLatencyDescriptor = 1U << 4;

/// What is to be done next for the descriptor in hand.
enum class Step : std::uint8_t { None, Move, Complete, Interrupt };

struct ChannelState {
    std::uint64_t sq_base, cq_base;
    std::uint64_t perf_descriptors, perf_bytes;
    // As NtbDmaChannelInfo has them.
    std::uint64_t descriptors, errors, bytes, interrupts, pauses, cancelled, completion_failures;
    std::uint64_t immediate;  ///< What a read immediate has read.
    std::uint32_t enable;     ///< valid_en_se without bit 0.
    std::uint32_t perf_config, latency_selector;
    std::uint32_t latency_max, latency_min, latency_last, idle_ns;
    std::uint32_t reasons;  ///< Why the engine has paused the channel: kReasons.
    std::uint32_t last_error;
    // The descriptor in hand, unless step is None.
    std::uint32_t done, status;
    std::uint32_t pause_after;  ///< Reason to pause when its completion entry has been written.
    SubmissionEntry entry;
    std::uint16_t cq_head, sq_tail, cq_size, sq_size;
    std::uint16_t sq_current, sq_phase, cq_current, cq_phase;
    std::uint8_t control;
    Step step;
    std::uint8_t status_interrupt;  ///< To be sent.
    std::uint8_t reserved[5];
};
static_assert(kPlain<ChannelState> && sizeof(ChannelState) == 200);

inline unsigned buffer_base(const ChannelState& s) {
    return s.enable >> kBufferBaseShift & kBufferMask;
}
inline unsigned buffer_count(const ChannelState& s) {
    return s.enable >> kBufferCountShift & kBufferMask;
}

}  // namespace switchtec::dma
