// SPDX-License-Identifier: MIT
// What a switch remembers: plain data in shared memory, the same for every process that maps it.
//
// A process may be killed between any two stores to it. What takes several stores therefore leaves a mark
// first (`redo`), works in steps that may be repeated, and removes the mark last; Chip::repair() repeats what
// is marked. `ordered()` stands between such steps: it keeps the compiler from moving stores across it, which
// is enough, as a killed process's earlier stores are seen by whoever takes over its lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "switchtec/chip.h"
#include "switchtec/registers.h"

namespace switchtec {

inline constexpr unsigned kBars = 6;
inline constexpr unsigned kMaxLut = 512;
inline constexpr unsigned kMaxRequesters = 512;
inline constexpr unsigned kMaxVectors = 32;
inline constexpr unsigned kMessages = 4;
inline constexpr std::uint8_t kNobody = 0xFF;

inline void ordered() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// The registers that LOCK and CONFIGURE stage.
struct NtbSetup {
    std::uint32_t control;
    std::uint32_t bar_ctl[kBars];  ///< Without kBarValid: that comes from the BAR's size.
    std::uint32_t bar_size[kBars];
    std::uint32_t bar_size_ext[kBars];
    std::uint32_t reserved;
    std::uint64_t bar_translation[kBars];
    std::uint32_t requester[kMaxRequesters];  ///< Without the proxy: that comes from the entry's number.
    std::uint64_t lut[kMaxLut];
};

enum class BlockRedo : std::uint8_t {
    None,
    Commit,   ///< active := staged
    Discard,  ///< staged := active
    ClearWindows,
    PowerOn,
};

struct ControlBlock {
    NtbSetup staged;  ///< Equals `active` while nobody holds the lock.
    NtbSetup active;
    std::uint64_t ticket[kMaxPartitions];  ///< Place in the queue for the lock; 0: does not wait.
    std::uint64_t finished;                ///< Bit per partition whose last operation ended: it reads NORMAL.
    std::uint64_t
        settle_generation;  ///< CONFIGURING and RESETTING end when windows of this generation are applied.
    /// Windows that were written since the block's host was saved, one bit each: they are not the snapshot's.
    std::uint64_t touched_lut[kMaxLut / 64];
    std::uint64_t touched_bars;
    std::uint32_t bar_error, lut_error, requester_error;
    std::uint8_t state;  ///< kNormal, kLocked, kConfiguring or kResetting.
    std::uint8_t owner;  ///< Partition that holds the lock or whose operation runs; kNobody if kNormal.
    BlockRedo redo;
    std::uint8_t reserved;
};

struct OutMessage {
    std::uint64_t order;  ///< Among waiting messages of the whole switch.
    std::uint32_t message;
    std::uint32_t status;
    std::uint8_t target, inbound;  ///< Where it waits to go.
    std::uint8_t reserved[6];
};

struct InMessage {
    std::uint32_t message;
    std::uint8_t status, mask, source;
    std::uint8_t gap;  ///< 1: just read, or given its vector; closed to messages until dbmsg::end_gaps.
};

struct Doorbells {
    std::uint64_t out_mask, in, in_mask;
    std::uint8_t vector_map[64];  ///< kNoVector after power-on.
    std::uint32_t message_map, reserved;
    OutMessage out[kMessages];
    InMessage inbound[kMessages];
};

struct Mrpc {
    std::uint8_t input[1024], output[1024];
    std::uint32_t command, status, result;
    std::uint32_t dma_enable;
    std::uint64_t dma_address;
    std::uint64_t dma_number;  ///< Of the answer that is to be written to the host before the command is
                               ///< complete; 0: none.
    std::uint8_t dma_taken;    ///< Somebody writes it.
    std::uint8_t failed;       ///< Its status will be an error.
    std::uint8_t reserved[6];
};

inline constexpr unsigned kTlps = 3;
inline constexpr unsigned kEventCounters = 64;  ///< Of each stack (switchtec-user 4.5).
inline constexpr unsigned kCountedStacks = 6;
inline constexpr std::uint8_t kAllPorts = 0x3F;  ///< Latency of TLPs from every port.

/// What passed a port in one direction, by Tlp.
struct Direction {
    std::uint64_t tlps[kTlps], payload[kTlps];
};

/// Counters of the link between a partition and its host.
struct Port {
    Direction ingress, egress;                  ///< From the host, to it; since power-on.
    Direction cleared_ingress, cleared_egress;  ///< When the bandwidth counters were cleared.
    std::uint64_t cleared_ns;
    std::uint64_t unsupported_requests;
    std::uint16_t latency_ns, latency_max_ns;  ///< Of TLPs to this port.
    std::uint8_t latency_from;                 ///< Port that they come from, or kAllPorts.
    std::uint8_t payload_only;                 ///< Bandwidth without headers.
    std::uint8_t reserved[2];
};

struct EventCounter {
    std::uint64_t base;  ///< What it counts, when it was cleared.
    std::uint32_t mask, threshold;
    std::uint8_t direction;
    std::uint8_t armed;  ///< Its threshold has not been reached yet.
    std::uint8_t reserved[6];
};

inline constexpr unsigned kLogEntries = 1024;

struct LogEntry {
    std::uint64_t time_ns;
    std::uint32_t event;
    std::uint32_t arguments[5];
};

enum class HostRedo : std::uint8_t { None, Attach, Detach, Reset };

struct Host {
    std::uint64_t window_generation, applied_generation;
    std::uint64_t interrupt_order[kMaxVectors];  ///< Per vector: when it was raised; 0: not raised.
    std::uint64_t life;     ///< Number, of all switches', of the time from this attach or reset to the next.
    std::uint64_t refused;  ///< Requests that its NT endpoint did not let pass.
    std::uint16_t requester_id;
    std::uint16_t refused_id;  ///< Requester of the last of them.
    std::uint8_t attached, bus_master;
    HostRedo redo;
    std::uint8_t reserved;
};

struct Partition {
    PartitionConfig configs[2];  ///< The one in use, and room for the next: see Chip::configure.
    ControlBlock control;
    Doorbells doorbells;
    Mrpc mrpc;
    Host host;
    Port port;
    std::uint32_t events[kPartEvents];        ///< Headers.
    std::uint32_t pff_events[2][kPffEvents];  ///< Of the upstream port, of the virtual endpoint.
    std::uint32_t config_in_use;

    const PartitionConfig& config() const { return configs[config_in_use]; }
};

inline constexpr std::uint64_t kMagic = 0x3142544E43575453;  // "STWCNTB1"
inline constexpr std::uint32_t kLayoutVersion = 6;

struct State {
    std::uint64_t magic;  ///< Written last by create.
    std::uint32_t layout_version, layout_size;
    std::uint64_t order;    ///< Last number given to an interrupt, a ticket or a waiting message.
    std::uint64_t wakeups;  ///< Bit per partition.
    std::uint16_t vendor_id, device_id;
    std::uint32_t partition_count;
    std::uint64_t epoch_ns;  ///< Power-on, by the clock of whoever uses the switch.
    std::uint64_t now_ns;    ///< Since power-on, as of the last call that changed anything.
    std::uint64_t report_control;
    std::uint32_t events[kGlobalEvents];
    std::uint32_t armed_counters;
    std::uint32_t reserved;
    std::uint64_t log_end;  ///< Entries since power-on.
    LogEntry log[kLogEntries];
    EventCounter event_counter[kCountedStacks][kEventCounters];
    Partition partition[kMaxPartitions];
};

template <typename T>
inline constexpr bool kPlain = std::is_trivially_copyable_v<T>&& std::is_standard_layout_v<T>&&
    std::has_unique_object_representations_v<T>;
static_assert(kPlain<NtbSetup> && sizeof(NtbSetup) == 128 + 2048 + 4096);
static_assert(kPlain<ControlBlock> && sizeof(ControlBlock) == 2 * sizeof(NtbSetup) + 488);
static_assert(kPlain<Doorbells> && sizeof(Doorbells) == 224);
static_assert(kPlain<Mrpc> && sizeof(Mrpc) == 2088);
static_assert(kPlain<Port> && sizeof(Port) == 4 * sizeof(Direction) + 24);
static_assert(kPlain<EventCounter> && sizeof(EventCounter) == 24);
static_assert(kPlain<LogEntry> && sizeof(LogEntry) == 32);
static_assert(kPlain<Host> && sizeof(Host) == 296);
static_assert(sizeof(PartitionConfig) == 40);
static_assert(kPlain<Partition> && sizeof(Partition) == 16064);
static_assert(kPlain<State> && sizeof(State) == 136 + sizeof(LogEntry) * kLogEntries +
                                                    sizeof(EventCounter) * kCountedStacks * kEventCounters +
                                                    kMaxPartitions * sizeof(Partition));

inline constexpr std::uint64_t bit(unsigned n) {
    return 1ULL << n;
}

/// Where the switch has its registers.
inline Layout layout(const State& s) {
    return s.device_id >= 0x8500 ? Layout::Gen3 : Layout::Gen4;
}

/// Partitions that have an NT endpoint.
inline std::uint64_t endpoints(const State& s) {
    std::uint64_t bits = 0;
    for (unsigned p = 0; p < s.partition_count; ++p) {
        if (s.partition[p].config().function == Function::Nt) bits |= bit(p);
    }
    return bits;
}

/// Partitions that `p`'s NT endpoint reaches: its configured targets, or else every other one.
inline std::uint64_t reach(const State& s, unsigned p) {
    const std::uint64_t targets = s.partition[p].config().targets;
    return (targets != 0 ? targets : ~0ULL) & endpoints(s) & ~bit(p);
}

inline bool attached(const State& s, unsigned p) {
    return s.partition[p].host.attached != 0;
}
inline void wake(State& s, unsigned p) {
    s.wakeups |= bit(p);
}

inline std::uint64_t bar_size(const PartitionConfig& c, unsigned bar) {
    return bar == 2 ? c.bar2_size : bar == 4 ? c.bar4_size : 0;
}

/// A register write of some bytes: what a register of 8 bytes or less becomes.
struct Written {
    std::uint64_t value;  ///< Shifted to the register's bit 0.
    std::uint64_t mask;   ///< All ones in the bytes that are written.

    std::uint64_t bits() const { return value & mask; }
    template <typename T>
    T over(T old) const {
        return static_cast<T>((old & ~mask) | bits());
    }
    bool covers_byte_0() const { return (mask & 0xFF) != 0; }
};

}  // namespace switchtec
