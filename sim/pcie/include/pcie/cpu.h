// SPDX-License-Identifier: MIT
// A CPU's accesses to what is behind its root complex, one after the other: stores into write-combining
// memory, which leave line by line, uncached stores and loads.
//
//     Cpu cpu("cpu", CpuConfig{}, pool);
//     cpu.start({Access::Kind::store_combined, window, 4096, 0}, [](Picoseconds done) { ... });
#pragma once

#include <deque>
#include <functional>

#include "pcie/observer.h"
#include "pcie/sockets.h"
#include "pcie/statistics.h"

namespace ntblab::pcie {

struct CpuConfig {
    std::uint16_t requester = 0;  ///< Its requester ID.
    unsigned line = 64;           ///< Bytes of a line that leaves a write-combining buffer.
    unsigned buffers = 10;        ///< For stores that the link has not sent yet, of either kind.
    Picoseconds line_interval = nanoseconds(10);   ///< Between two lines that leave.
    Picoseconds store_interval = nanoseconds(20);  ///< Between two uncached stores.
    unsigned store_bytes = 8;                      ///< Of an uncached store or load.
    Picoseconds issue = nanoseconds(10);           ///< From the instruction to the root complex.
    Picoseconds fence = nanoseconds(50);  ///< After the last store of an access, until the next access.
    Picoseconds load = nanoseconds(20);   ///< From a load's data at the CPU to the next instruction.
};

struct Access {
    enum class Kind : std::uint8_t { store_combined, store_uncached, load };
    Kind kind = Kind::store_combined;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;   ///< Not 0.
    std::uint64_t cookie = 0;  ///< Of its TLPs.
};

struct CpuStatistics {
    std::uint64_t accesses = 0, tlps = 0, bytes = 0;
    Picoseconds waited_for_buffer = 0;
    BusyTime busy;    ///< An access is under way: from when it begins until the CPU goes on.
    Histogram queue;  ///< Accesses that are under way or wait, when one more is asked for.
};

class Cpu : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    /// When the CPU goes on after an access.
    using Done = std::function<void(Picoseconds at)>;

    Cpu(sc_core::sc_module_name name, const CpuConfig& config, TlpPool& pool);

    /// Begins when those before it are done.
    void start(const Access& access, Done done);

    TlpInitiator out{"out", *this, 0};
    TlpTarget in{"in", *this, 0};
    /// Null: nobody.
    void observe(Observer* observer) { observer_ = observer; }
    const CpuStatistics& statistics() const { return statistics_; }

  private:
    struct Item {
        Access access;
        Done done;
        Picoseconds asked;        ///< When it was asked for,
        Picoseconds from;         ///< likewise; a load: when it could go on.
        std::uint64_t sent = 0;   ///< Bytes.
        std::uint64_t cause = 0;  ///< A load's completion before.
        Picoseconds waited = 0;   ///< For buffers.
    };

    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;
    void run();
    std::uint32_t next_bytes(const Item& item) const;
    void send(Item& item);
    void finish(Picoseconds at);

    CpuConfig config_;
    TlpPool& pool_;
    Observer* observer_ = nullptr;
    std::deque<Item> items_;
    Picoseconds next_ = 0;  ///< When the next TLP, or access, may begin.
    unsigned buffers_free_;
    std::deque<Picoseconds> buffers_back_;  ///< When others are.
    Picoseconds bufferless_since_ = kNever;
    bool loading_ = false;
    CpuStatistics statistics_;
    Alarm alarm_{"alarm"};
};

}  // namespace ntblab::pcie
