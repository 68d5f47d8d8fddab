// SPDX-License-Identifier: MIT
// Who watches a run: told of each TLP and DLLP on each wire, of stalls, and of where a TLP spends its time.
//
//     struct Count : Observer {
//         void sent(const Link&, unsigned, const Tlp& tlp, const TlpOnWire&) override { bytes += tlp.length;
//         } std::uint64_t bytes = 0;
//     } count;
//     system.observe(&count);
//
// Modules tell of things as soon as they are certain, which may be long before their time: all times are
// absolute, in picoseconds. What a link tells of one side is in the order of time, and not before now(). A
// TLP's fields are as they are at that place: an NTB changes them. Without an observer a module tests a
// pointer.
#pragma once

#include <vector>

#include "pcie/dllp.h"
#include "pcie/statistics.h"
#include "pcie/tlp.h"

namespace ntblab::pcie {

class Link;

/// What a TLP spends its time with, or a transfer before it has a TLP. Of links see TlpOnWire.
enum class Part : std::uint8_t {
    earlier_accesses,   ///< CPU: accesses, and stores of the same access, before it.
    store_buffer,       ///< CPU: all buffers are in use.
    issue,              ///< CPU: from the instruction to the root complex.
    load,               ///< CPU: from a load's data to the next instruction.
    egress,             ///< Root complex, towards the link.
    ingress,            ///< Root complex, from the link.
    iommu,              ///< Translation.
    ordering,           ///< Writes before it are not done.
    read_slot,          ///< As many reads as are possible are in service.
    memory_read,        ///< Until its data is there.
    memory_write,       ///< Until a CPU sees it.
    interrupt,          ///< Until its handler runs.
    translation,        ///< NTB.
    store_and_forward,  ///< Hop: until the last byte has come.
    slower_ingress,     ///< Hop: so that a faster egress does not run out of bytes.
    hop,                ///< Hop: its latency.
    dma_start,          ///< Engine: from being asked to its first request.
    earlier_requests,   ///< Engine: transfers, and requests of the same transfer, before it.
    dma_tag,            ///< Engine: all tags are in use.
    dma_queue,          ///< Engine: as many requests as are possible wait for the link.
    dma_turnaround,     ///< Engine: from a completion to the write of its data.
    ethernet_queue,     ///< Ethernet: frames before it.
    ethernet_wire,      ///< Ethernet: its frames, and again what was lost of them.
    ethernet_latency,   ///< Ethernet: from the last bit sent to the other gateway.
    retransmission,     ///< Ethernet: a frame was lost, of it or of what came before it.
};
const char* name_of(Part part);
/// "PH", "PD", "NPH", "NPD", "CPLH", "CPLD", "replay buffer".
const char* name_of(StallCause cause);
/// "Ack", "Nak", "UpdateFC".
const char* name_of(Dllp::Kind kind);

struct TlpOnWire {
    Picoseconds begin = 0, end = 0;  ///< Of its transmission.
    /// When its first and its last byte are at the transaction layer of the other side.
    Picoseconds head = 0, tail = 0;
    std::uint64_t sequence = 0;  ///< On the wire, its lower 12 bits.
    std::uint32_t bytes = 0;     ///< Header, payload, framing.
    bool again = false;          ///< It was sent before.
    bool whole = true;           ///< No bit is wrong.
    bool taken = true;           ///< By the receiver: it is whole, and so were those before it.
};

struct DllpOnWire {
    Picoseconds begin = 0, end = 0;  ///< The same with FLITs, where it takes no time of its own.
    Picoseconds arrives = 0;
    bool whole = true;  ///< Else it is lost.
};

class Observer {
  public:
    virtual ~Observer() = default;

    /// `side` of a link has it in its transmit queue, to be sent from tlp.ready on. It was to come there at
    /// `from`; what is between is the transmit delay, and that something before it was in its way.
    virtual void queued(const Link&, unsigned /*side*/, const Tlp&, Picoseconds /*from*/) {}
    virtual void sent(const Link&, unsigned /*side*/, const Tlp&, const TlpOnWire&) {}
    virtual void sent(const Link&, unsigned /*side*/, const Dllp&, const DllpOnWire&) {}
    /// A skip ordered set.
    virtual void skipped(const Link&, unsigned /*side*/, Picoseconds /*begin*/, Picoseconds /*end*/) {}
    /// Something is there to be sent, and is not; until resumed(), or another cause.
    virtual void stalled(const Link&, unsigned /*side*/, StallCause, Picoseconds /*at*/) {}
    virtual void resumed(const Link&, unsigned /*side*/, Picoseconds /*at*/) {}

    /// Never of no time. Those of one TLP come in the order of time, without gaps but links.
    virtual void spent(const sc_core::sc_module& /*where*/, const Tlp&, Part, Picoseconds /*begin*/,
                       Picoseconds /*end*/) {}
    /// Its way ends: a write is visible, or its handler runs; a read has its data; a completion is with who
    /// asked. A TLP that follows from it has its serial as `cause`.
    virtual void ended(const sc_core::sc_module& /*where*/, const Tlp&, Picoseconds /*at*/) {}
};

/// spent(), if somebody observes and it is any time.
inline void tell(Observer* observer, const sc_core::sc_module& where, const Tlp& tlp, Part part,
                 Picoseconds begin, Picoseconds end) {
    if (observer != nullptr && begin < end) observer->spent(where, tlp, part, begin, end);
}

/// Several at once.
class Observers : public Observer {
  public:
    /// Has to live as long as this.
    void add(Observer& observer) { all_.push_back(&observer); }

    void queued(const Link& link, unsigned side, const Tlp& tlp, Picoseconds from) override {
        for (Observer* each : all_) each->queued(link, side, tlp, from);
    }
    void sent(const Link& link, unsigned side, const Tlp& tlp, const TlpOnWire& wire) override {
        for (Observer* each : all_) each->sent(link, side, tlp, wire);
    }
    void sent(const Link& link, unsigned side, const Dllp& dllp, const DllpOnWire& wire) override {
        for (Observer* each : all_) each->sent(link, side, dllp, wire);
    }
    void skipped(const Link& link, unsigned side, Picoseconds begin, Picoseconds end) override {
        for (Observer* each : all_) each->skipped(link, side, begin, end);
    }
    void stalled(const Link& link, unsigned side, StallCause cause, Picoseconds at) override {
        for (Observer* each : all_) each->stalled(link, side, cause, at);
    }
    void resumed(const Link& link, unsigned side, Picoseconds at) override {
        for (Observer* each : all_) each->resumed(link, side, at);
    }
    void spent(const sc_core::sc_module& where, const Tlp& tlp, Part part, Picoseconds begin,
               Picoseconds end) override {
        for (Observer* each : all_) each->spent(where, tlp, part, begin, end);
    }
    void ended(const sc_core::sc_module& where, const Tlp& tlp, Picoseconds at) override {
        for (Observer* each : all_) each->ended(where, tlp, at);
    }

  private:
    std::vector<Observer*> all_;
};

}  // namespace ntblab::pcie
