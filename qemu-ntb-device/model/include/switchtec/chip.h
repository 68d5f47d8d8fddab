// SPDX-License-Identifier: MIT
// The Switchtec PFX as the hosts behind its partitions see it: one object for the whole switch, no QEMU in
// it.
//
//     std::vector<std::byte> memory(switchtec::Chip::state_size());
//     switchtec::Chip chip = switchtec::Chip::create(memory, config).value();
//     chip.attach(0);
//     std::uint64_t partitions = chip.read(0, 0x10000, 1);
//
// All state lives in the caller's memory and is position independent, so that several processes, one per
// host, can share one chip. The caller serialises calls (the link component holds a lock in the same shared
// memory).
//
// Registers and behaviour: Linux 6.12 drivers/pci/switch/switchtec.c, drivers/ntb/hw/mscc/ntb_hw_switchtec.c,
// include/linux/switchtec.h. What these do not say is our choice and marked so where it is made.
#pragma once

#include <ntblab/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace switchtec {

inline constexpr unsigned kMaxPartitions = 48;

/// What a partition's host has behind its upstream port.
enum class Function : std::uint8_t {
    None,        ///< Nothing: no host can attach.
    Nt,          ///< An NT endpoint, class 0x068000.
    Management,  ///< Class 0x058000: registers and events, no windows.
};

/// PCI class code (class << 16 | subclass << 8 | interface) of a host's function; 0: it has none.
std::uint32_t class_code(Function function);

/// What a board's firmware image would configure for one partition and the endpoint in it.
struct PartitionConfig {
    std::uint64_t bar2_size =
        64ULL << 20;  ///< Bytes, a power of two; LUT windows and one direct window. 0: absent.
    std::uint64_t bar4_size = 64ULL << 20;  ///< Bytes, a power of two; one direct window. 0: absent.
    std::uint64_t targets = 0;              ///< Bit per partition that this one's NT endpoint reaches.
    std::uint16_t lut_entries = 64;         ///< Of 64 KiB each; at most 512.
    std::uint16_t requester_ids =
        16;  ///< Entries of the requester-ID table, 2..512. Peers' kernels log a line for each.
    std::uint8_t link_generation = 4;  ///< 1..5: 2.5, 5, 8, 16, 32 GT/s.
    std::uint8_t link_width = 16;      ///< Lanes.
    std::uint8_t vectors = 4;          ///< MSI-X table entries, 4..32.
    Function function = Function::Nt;
    std::uint8_t mrpc_dma_version = 1;  ///< 0: no MRPC by DMA. A Gen3 switch has none whatever this says.
    /// Devfn of the DMA function beside the endpoint, which the last entry of the requester-ID table then
    /// lists from power-on, as a board's firmware may set it up (our choice: what boards do is not public).
    /// 0: none.
    std::uint8_t dma_devfn = 0;
    std::uint8_t reserved[6] = {};
    bool operator==(const PartitionConfig&) const = default;
};

struct ChipConfig {
    std::uint16_t vendor_id = 0x11F8;
    std::uint16_t device_id = 0x4052;  ///< PFX 52xG4.
    std::vector<PartitionConfig> partitions;
};

/// A part of a BAR that is an enabled window, and where in the target host's bus address space it lands.
struct WindowSpan {
    std::uint8_t bar;       ///< 2 or 4.
    std::uint8_t target;    ///< Partition whose host's memory is reached.
    std::uint64_t offset;   ///< Of its first byte in the BAR.
    std::uint64_t size;     ///< Bytes.
    std::uint64_t address;  ///< Bus address at the target of its first byte.
    bool operator==(const WindowSpan&) const = default;
};

/// Where one address in a BAR leads. `address` is a bus address at host `target`.
struct Translation {
    std::uint8_t target;
    std::uint64_t address;
    bool operator==(const Translation&) const = default;
};

/// Classes of TLPs, as flow control and counters have them.
enum class Tlp : std::uint8_t { Posted, NonPosted, Completion };

/// TLPs that went through a window (or otherwise from one host to another). `tlps` of one class carried
/// `payload` bytes in all from the port of `from` to that of `to`, and were `latency_ns` on their way; 0: not
/// measured.
struct Forwarded {
    unsigned from, to;  ///< Partitions.
    Tlp tlp = Tlp::Posted;
    std::uint64_t tlps = 1;
    std::uint64_t payload = 0;
    std::uint64_t latency_ns = 0;
};

/// TLPs of one class in one direction, and the payload of all of them in bytes.
struct Passed {
    std::uint64_t tlps, payload;
};

/// Requests from a host that its NT endpoint did not let pass, as its requester-ID table does not list them.
struct Refused {
    std::uint64_t requests;
    std::uint16_t requester_id;  ///< Of the last one.
};

/// An answer to MRPC that has to be written into the host's memory: first `data` at `data_address`, then
/// `header` at `address`, which says that it is complete.
struct MrpcDma {
    std::uint64_t number;  ///< For mrpc_dma_done.
    std::uint64_t address, data_address;
    std::array<std::uint8_t, 16> header;
    std::array<std::uint8_t, 1024> data;
};

/// Nanoseconds that never go back; the same for every process that uses one switch.
using Clock = std::function<std::uint64_t()>;
/// CLOCK_MONOTONIC.
std::uint64_t host_clock();

struct State;
struct Partition;

/// Functions that take a partition throw std::out_of_range if the switch does not have it.
class Chip {
  public:
    /// Bytes (and alignment) that `create` and `open` need.
    static std::size_t state_size();
    static std::size_t state_alignment();

    /// Puts a freshly powered switch into `memory`. Errors: memory too small or misaligned; a field of
    /// `config` out of its range (the message names partition, field, value and range).
    static ntblab::Result<Chip> create(std::span<std::byte> memory, const ChipConfig& config,
                                       Clock clock = host_clock);
    /// Uses the switch that another process created in `memory`. Errors: not a chip, or one of another layout
    /// version.
    static ntblab::Result<Chip> open(std::span<std::byte> memory, Clock clock = host_clock);

    unsigned partitions() const;
    const PartitionConfig& config(unsigned partition) const;
    std::uint16_t vendor_id() const;
    std::uint16_t device_id() const;
    /// 3, 4 or 5.
    unsigned generation() const;

    // --- Register access by the host of `partition` through its GAS BAR. `size` is 1, 2, 4 or 8 at any
    // offset; the part that no register backs reads 0 and ignores writes. An access across registers acts on
    // each, in rising order of offset. Reads have no side effect.
    std::uint64_t read(unsigned partition, std::uint32_t offset, unsigned size) const;
    void write(unsigned partition, std::uint32_t offset, std::uint64_t value, unsigned size);

    /// Gives the endpoint of a detached partition another configuration, as other firmware settings would.
    /// Errors: attached; a field out of its range, as in `create`. If it differs, what peers had set up for
    /// this partition is gone.
    ntblab::Result<void> configure(unsigned partition, const PartitionConfig& config);

    // --- What happens to the host of `partition`.
    /// Its NT endpoint is there: link up. Its peers see a link-state event. What peers set up for it while it
    /// was away holds. Nothing if it is attached already.
    void attach(unsigned partition);
    /// It died or was unplugged: as `reset`, and its link stays down. Nothing if it is not attached.
    void detach(unsigned partition);
    bool attached(unsigned partition) const;
    /// Fundamental or hot reset, or FLR: its windows, every window at any peer that targets it, the locks it
    /// holds or waits for, its doorbells, messages and masks are as after power-on, bus mastering is off. Its
    /// peers see a link-state event. A lock that a peer holds on its control block stays, so that the peer's
    /// LOCK ... CONFIGURE does not fail.
    void reset(unsigned partition);
    /// What the switch keeps for the host of `partition`, for a host that is saved, ends and goes on later,
    /// maybe at a new switch of the same configuration. Only the newest snapshot may be loaded: from here on
    /// it is noted which of the windows peers set anew. Errors: a control block is locked by it, or its own
    /// by anybody; save again later.
    ntblab::Result<std::vector<std::byte>> save(unsigned partition);
    /// The host goes on: to be called once it is attached, before set_bus_master. Its registers are as they
    /// were, its windows still closed. Errors: detached; bytes that are no snapshot of this partition as it
    /// is configured.
    ntblab::Result<void> load(unsigned partition, std::span<const std::byte> snapshot);
    /// Its machine runs again: it and its peers see a link-state event, and it gets the interrupts whose
    /// causes it has not seen. Its driver looks at the link, and finds it down.
    void resumed(unsigned partition);
    /// Opens the windows between it and peers that have not been reset since `save`, but for those that the
    /// peers have set anew or taken back meanwhile, with another link-state
    /// event. To be called some time after `resumed` (our choice; a link takes as long to train): a driver
    /// that does not see the link down does not begin anew with a peer that has. False: somebody is between
    /// LOCK and CONFIGURE of a block with such windows; call again later. Errors: as for `load`; windows that
    /// do not fit.
    ntblab::Result<bool> load_windows(unsigned partition, std::span<const std::byte> snapshot);
    /// Command register, Bus Master Enable: without it nothing may reach this host's memory and it sends no
    /// interrupt.
    void set_bus_master(unsigned partition, bool enabled);
    bool bus_master(unsigned partition) const;
    /// Requester ID (bus << 8 | devfn) of the NT function as its host enumerated it. Kept over `reset`. The
    /// DMA function is on the same bus.
    void set_requester_id(unsigned partition, std::uint16_t requester_id);

    // --- Interrupts: MSI-X vectors that the chip raised at `partition`, in the order of their causes. A
    // vector that is still queued is not queued twice. Whoever has new windows to apply as well applies them
    // first: a driver that gets the link-state interrupt of a dead peer looks through its window at once.
    std::optional<unsigned> take_interrupt(unsigned partition);

    // --- MRPC by DMA. A write of the command register may leave an answer for the host's memory, whose
    // interrupt waits until it is there: write it as MrpcDma says, then call mrpc_dma_done.
    std::optional<MrpcDma> take_mrpc_dma(unsigned partition);
    /// Nothing if another command or a reset has come meanwhile.
    void mrpc_dma_done(unsigned partition, std::uint64_t number);

    // --- Counters of the ports (MRPC PMON). The chip counts the interrupts and MRPC answers that it sends.
    // What else there is of traffic, it is told: nothing passes it when a window is memory that is mapped.
    /// An access of the partition's host to its GAS, of `size` bytes.
    void count_access(unsigned partition, bool write, unsigned size);
    /// An access of the host to a window BAR that reached nothing.
    void count_unsupported(unsigned partition, bool write, unsigned size);
    void forwarded(const Forwarded& what);
    /// What has passed the partition's port since power-on, from its host or to it.
    Passed passed(unsigned partition, bool from_host, Tlp tlp) const;

    // --- The gap before a message: an inbound message register that its host has read, or given its vector,
    // takes the next message only after end_message_gaps (our choice). Linux handles a message in a work
    // item, and one that follows before the item has run is lost in it: of FORCE_DOWN and UP, UP. And it
    // enables its link just after it has set the vectors: a FORCE_DOWN that comes in between takes down a
    // link that has just come up. The host's emulator gives it the time.
    /// Registers of `partition` in their gaps, one bit each.
    unsigned message_gaps(unsigned partition) const;
    void end_message_gaps(unsigned partition);

    // --- Windows, as accesses by the host of `partition` see them.
    /// Enabled windows through which the target is reachable now (attached, bus master) by the host's CPUs,
    /// sorted by (bar, offset), merged where both sides are contiguous. CPUs' requests come from the root
    /// complex: unless the partition's requester-ID table lists 00:00.0 or protection is off, there are none.
    std::vector<WindowSpan> windows(unsigned partition) const;
    /// Where a request of `requester_id` to `offset` of `bar` goes; nullopt: unsupported request (reads
    /// all-ones, writes dropped).
    std::optional<Translation> translate(unsigned partition, unsigned bar, std::uint64_t offset,
                                         std::uint16_t requester_id = 0) const;
    /// Devfn under which requests of `requester_id` that `partition` sends through a window appear on the bus
    /// of their target (an IOMMU there sees them so): the proxy ID of the entry of the partition's
    /// requester-ID table. When protection is off and no entry lists the requester: the first entry's (ours).
    unsigned proxy(unsigned partition, std::uint16_t requester_id = 0) const;
    /// Whether requests of `requester_id` by the partition's host pass its NT endpoint: its requester-ID
    /// table lists it, or protection is off. Those that do not are counted, and the first of each requester
    /// is logged.
    bool admit(unsigned partition, std::uint16_t requester_id);
    /// Requests that did not pass since the host attached or was reset, and the requester of the last.
    Refused refused(unsigned partition) const;
    /// Changes whenever what `windows(partition)` returns may have changed.
    std::uint64_t window_generation(unsigned partition) const;
    /// The host's emulator has put windows of `generation` (or newer) into effect. CONFIGURING and RESETTING
    /// of a control block become NORMAL when every attached partition that they change has.
    void windows_applied(unsigned partition, std::uint64_t generation);
    /// The newest generation has been applied, or nobody is attached who could see windows.
    bool windows_settled(unsigned partition) const;

    /// Partition that holds the lock of a control block, or whose CONFIGURE or RESET of it is not finished.
    std::optional<unsigned> lock_owner(unsigned block) const;

    /// Partitions with a new interrupt or window generation since the last call, one bit each.
    std::uint64_t take_wakeups();

    /// After a process died inside a call: completes or drops what it had begun, gives every attached host a
    /// new window generation and sends interrupts again whose causes are still there. Loses nothing that a
    /// register shows. The dead process's own partition is still attached: `detach` it.
    void repair();

  private:
    Chip(State& state, Clock clock) : state_(&state), clock_(std::move(clock)) {}
    void tick();
    Partition& at(unsigned partition) const;
    State* state_;
    Clock clock_;
};

}  // namespace switchtec
