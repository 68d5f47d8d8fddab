// SPDX-License-Identifier: MIT
// A switch in memory that its hosts' processes share: the chip, the lock around it, and a way to wake each
// host.
//
//     ntblink::SharedSwitch shared = ntblink::SharedSwitch::create("sw0", config).value();
//     std::uint64_t wake = 0;
//     {
//         auto guard = shared.lock();
//         guard.chip().write(0, 0x75000, 1, 8);
//         wake = guard.chip().take_wakeups();
//     }
//     shared.wake(wake);
//
// A process may be killed at any point, also with the lock held: the next one to lock repairs the chip and
// goes on.
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>
#include <pthread.h>
#include <switchtec/chip.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ntblink {

inline constexpr std::uint64_t kSegmentMagic = 0x544553'42544E00;  ///< "\0NTBSET" and a zero byte in memory.
inline constexpr std::uint32_t kSegmentVersion = 3;

/// An access through a window that its host cannot make itself, as the target has no RAM there that could be
/// mapped: the target's process makes it. At most one per host at a time; the host waits for the answer.
struct AccessRequest {
    std::atomic<std::uint32_t> asked;     ///< Number of the request that the other fields are.
    std::atomic<std::uint32_t> answered;  ///< Number of the last one that the target has answered.
    std::uint8_t bar;                     ///< 2 or 4.
    std::uint8_t size;                    ///< 1, 2, 4 or 8 bytes.
    std::uint8_t write;                   ///< 0: read.
    std::uint8_t done;                    ///< From the target; 0: unsupported request.
    std::uint16_t requester_id;           ///< Bus << 8 | devfn at the asking host; CPUs: 0.
    std::uint16_t reserved;
    std::uint64_t offset;  ///< In the BAR.
    std::uint64_t value;   ///< Little endian; of a read, from the target.
};
static_assert(sizeof(AccessRequest) == 32);

/// What the processes know about one partition beside the chip's own state.
struct alignas(64) PartitionSlot {
    std::atomic<std::uint32_t> signalled;  ///< 1: its eventfd has been written since its host last looked.
    std::uint32_t reserved;
    std::uint64_t ram_epoch;    ///< Under the lock: of the last change of RAM that peers give to it.
    std::uint64_t ram_applied;  ///< Under the lock: its mapped windows follow every change up to this epoch.
    std::atomic<std::uint64_t> read_misses;   ///< Reads of window BARs that were unsupported requests.
    std::atomic<std::uint64_t> write_misses;  ///< Writes likewise.
    std::atomic<std::uint64_t> askers;        ///< Partitions that have a request for this one, one bit each.
    std::uint64_t padding[2];
    AccessRequest request;  ///< Of this partition's host.
    std::uint64_t more_padding[4];
};
static_assert(offsetof(PartitionSlot, request) == 64);
static_assert(sizeof(PartitionSlot) == 128);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The beginning of the shared memory. The chip's state follows at `state_offset`.
struct alignas(64) SegmentHeader {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t header_size;
    std::uint32_t mutex_size;
    std::uint32_t partitions;
    std::uint64_t state_offset;
    std::uint64_t state_size;
    std::uint64_t reserved[3];
    pthread_mutex_t mutex;
    std::byte mutex_padding[64 - sizeof(pthread_mutex_t)];
    std::uint64_t waiters;  ///< Under the lock: partitions to wake when a host has applied its windows.
    std::uint64_t padding[7];
    PartitionSlot slots[switchtec::kMaxPartitions];
};
static_assert(offsetof(SegmentHeader, mutex) == 64);
static_assert(offsetof(SegmentHeader, waiters) == 128);
static_assert(offsetof(SegmentHeader, slots) == 192);
static_assert(sizeof(SegmentHeader) == 192 + switchtec::kMaxPartitions * 128);

class SharedSwitch {
  public:
    /// A freshly powered switch in new memory. Errors: as switchtec::Chip::create; no memory or descriptors
    /// left.
    static ntblab::Result<SharedSwitch> create(const std::string& name, const switchtec::ChipConfig& config);
    /// The switch that another process created: its memory and one eventfd per partition. Trusts neither:
    /// errors say which field of the memory is not as expected.
    static ntblab::Result<SharedSwitch> open(ntblab::UniqueFd memory, std::vector<ntblab::UniqueFd> events);

    SharedSwitch(SharedSwitch&&) = default;
    SharedSwitch& operator=(SharedSwitch&&) = default;

    unsigned partitions() const { return static_cast<unsigned>(events_.size()); }
    std::size_t size() const { return memory_.size; }
    int memory_fd() const { return memory_fd_.get(); }
    int event_fd(unsigned partition) const { return events_[partition].get(); }
    PartitionSlot& slot(unsigned partition) { return header().slots[partition]; }

    /// The chip and the shared fields, for as long as the guard lives.
    class Guard {
      public:
        explicit Guard(SharedSwitch& shared);
        ~Guard();
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;
        switchtec::Chip& chip() { return *shared_.chip_; }
        std::uint64_t& ram_epoch(unsigned partition) { return shared_.slot(partition).ram_epoch; }
        std::uint64_t& ram_applied(unsigned partition) { return shared_.slot(partition).ram_applied; }
        std::uint64_t& waiters() { return shared_.header().waiters; }

      private:
        SharedSwitch& shared_;
    };
    Guard lock() { return Guard(*this); }

    /// Makes the eventfds of `partitions` (one bit each) readable, where that has not been done since the
    /// host looked.
    void wake(std::uint64_t partitions);
    /// The same whatever was done before: heals what a process that died in the middle of `wake` left.
    void wake_all();
    /// The host of `partition` is about to look at everything: the next `wake` has to tell it again.
    void looking(unsigned partition) { slot(partition).signalled.exchange(0, std::memory_order_acq_rel); }

  private:
    struct Mapping {
        std::byte* data = nullptr;
        std::size_t size = 0;
        Mapping() = default;
        Mapping(std::byte* mapped, std::size_t bytes) : data(mapped), size(bytes) {}
        Mapping(Mapping&& other) noexcept;
        Mapping& operator=(Mapping&& other) noexcept;
        ~Mapping();
    };

    SharedSwitch(ntblab::UniqueFd memory_fd, Mapping memory, std::vector<ntblab::UniqueFd> events);
    static ntblab::Result<Mapping> map(int fd, std::size_t size);
    SegmentHeader& header() { return *reinterpret_cast<SegmentHeader*>(memory_.data); }
    ntblab::Result<void> check() const;
    void signal(unsigned partition);

    ntblab::UniqueFd memory_fd_;
    Mapping memory_;
    std::vector<ntblab::UniqueFd> events_;
    std::optional<switchtec::Chip> chip_;
};

}  // namespace ntblink
