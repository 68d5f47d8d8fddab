// SPDX-License-Identifier: MIT
// A host between its CPU, its memory and its root ports: what peers and devices write and read there, and
// where the CPU's own requests and their answers go.
//
//     RootComplex host("host", RootComplexConfig{}, pool);
//     cpu.out.bind(host.from_cpu());   host.to_cpu().bind(cpu.in);
//     host.out(0).bind(link.in(0));    link.out(0).bind(host.in(0));
//     host.on_write = [&](const Tlp& tlp, Picoseconds visible) { ... };
//
// Physical addresses: memory below kPortSpace, with message-signalled interrupts at 0xfee00000; what is
// behind root port p at (p + 1) * kPortSpace.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "pcie/iommu.h"
#include "pcie/observer.h"
#include "pcie/sockets.h"

namespace ntblab::pcie {

inline constexpr std::uint64_t kPortSpace = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kInterruptSpace = 0xfee00000;
inline constexpr std::uint64_t kInterruptSpaceSize = 0x100000;

struct RootComplexConfig {
    unsigned ports = 1;
    unsigned mps = 256;
    unsigned rcb = 64;                         ///< Bytes: where completions are split.
    bool split_at_every_rcb = false;           ///< Completions of one RCB each, as some chipsets send them.
    Picoseconds egress = nanoseconds(50);      ///< From the CPU to the link.
    Picoseconds ingress = nanoseconds(100);    ///< From the link to memory or CPU.
    Picoseconds read = nanoseconds(80);        ///< Of memory whose line is in a cache,
    Picoseconds uncached = 0;                  ///< and more if it is not.
    Picoseconds write = nanoseconds(20);       ///< Until a CPU sees what was written.
    Picoseconds remote = 0;                    ///< More, of memory of another socket.
    Picoseconds interrupt = nanoseconds(500);  ///< From the write that signals it to its handler.
    unsigned reads = 64;                       ///< In service at the same time.
    IommuConfig iommu{.entries = 0};
};

struct RootComplexStatistics {
    std::uint64_t writes = 0, written = 0;  ///< Requests, bytes.
    std::uint64_t reads = 0, read = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t completions = 0;    ///< Sent.
    Picoseconds waited_for_slot = 0;  ///< Reads, for one of `reads`.
    Histogram queue;                  ///< Reads that are under way or wait, when one more comes.
};

class RootComplex : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    /// @throw std::invalid_argument if RCB is not 64 or 128, or MPS no multiple of it; no read at a time; no
    /// port.
    RootComplex(sc_core::sc_module_name name, const RootComplexConfig& config, TlpPool& pool);

    TlpTarget& in(unsigned port) { return ports_.at(port)->in; }
    TlpInitiator& out(unsigned port) { return ports_.at(port)->out; }
    TlpTarget& from_cpu() { return from_cpu_; }
    TlpInitiator& to_cpu() { return to_cpu_; }

    /// Told of each write when it is certain when a CPU will see it (interrupts: when the handler runs), not
    /// before now().
    std::function<void(const Tlp& tlp, Picoseconds visible)> on_write = [](const Tlp&, Picoseconds) {};

    /// Whether what is read is in no cache; whether it is another socket's.
    void set_memory(bool uncached, bool remote);

    /// Null: nobody.
    void observe(Observer* observer) { observer_ = observer; }
    const RootComplexStatistics& statistics() const { return statistics_; }
    /// For how long a request of a root port was under way, from its last byte until it was done.
    Picoseconds busy(unsigned port) const { return ports_.at(port)->busy.total(); }
    unsigned ports() const { return config_.ports; }
    const Iommu& iommu() const { return iommu_; }

  private:
    struct Port {
        Port(RootComplex& owner, unsigned number);
        TlpTarget in;
        TlpInitiator out;
        Picoseconds posted_done = 0;  ///< The last write's: later requests of the port do not overtake it.
        BusyTime busy;
    };

    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;
    void forward_request(Tlp& tlp);
    void forward_completion(unsigned port, Tlp& tlp);
    void write(unsigned port, Tlp& tlp);
    void read(unsigned port, Tlp& tlp);
    void answer(unsigned port, const Tlp& request, Picoseconds at);
    bool is_cpu(unsigned port) const { return port == config_.ports; }

    RootComplexConfig config_;
    TlpPool& pool_;
    Observer* observer_ = nullptr;
    Iommu iommu_;
    Picoseconds memory_ = 0;  ///< Of a read, as set_memory() has it.
    Picoseconds remote_ = 0;
    std::vector<Picoseconds> slots_;  ///< When each is free.
    /// When reads that had not ended do; the first is on top.
    std::priority_queue<Picoseconds, std::vector<Picoseconds>, std::greater<>> reads_;
    RootComplexStatistics statistics_;
    TlpTarget from_cpu_;
    TlpInitiator to_cpu_;
    std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace ntblab::pcie
