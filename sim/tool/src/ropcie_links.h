// SPDX-License-Identifier: MIT
// RoPCIe's links between hosts, in time: records that CPUs store into rings, their publication, doorbells for
// consumers that sleep, credits; what it costs CPUs (docs/ropcie.md, "The link").
//
//     RopcieLinks links(system, timeline, profile.rdma);
//     links.send(0, 1, 4096, [&] { ... });     // host 1's CPU has copied the payload out of the ring
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "pcie/profile.h"
#include "pcie/system.h"
#include "pcie/timeline.h"

namespace ntblab::sim {

class RopcieLinks {
  public:
    using Task = std::function<void()>;

    RopcieLinks(pcie::System& system, pcie::Timeline& timeline, const pcie::RdmaConfig& config);
    ~RopcieLinks();

    /// Sends a packet of `payload` bytes; `served` is called when the peer's CPU has done with it. In order.
    void send(std::size_t from, std::size_t to, std::uint64_t payload, Task served);
    /// Has a host's CPU, which does one thing at a time, work for so long, and then `done`.
    void work(std::size_t node, pcie::Picoseconds span, Task done);
    /// Whether a write is one of a link's, which then takes it.
    bool written(const pcie::Tlp& tlp, pcie::Picoseconds visible);

    const pcie::RdmaConfig& config() const { return config_; }
    std::uint64_t doorbells() const { return doorbells_; }

  private:
    class Core;
    struct Record {
        std::uint64_t payload;
        Task served;
    };
    /// What a consumer writes at its producer.
    struct Control {
        std::uint64_t consumed;  ///< Slots.
        bool sleeps;             ///< The next one is to be rung for.
    };
    /// Of one direction between two hosts. Counts are of slots, from the beginning.
    struct Ring {
        std::uint64_t number = 0;
        std::size_t from = 0, to = 0;
        std::deque<Record> waiting;  ///< For room.
        std::deque<Record> filled;   ///< Not served yet; published or about to be.
        // As the producer knows it.
        std::uint64_t produced = 0, published = 0, freed = 0;
        std::deque<std::uint64_t> data_of;  ///< Bytes in the data area, of slots that are not free.
        std::uint64_t data = 0;             ///< Their sum.
        std::uint64_t event = 0;            ///< To be rung for.
        // As the consumer knows it.
        std::uint64_t seen = 0, served = 0, told = 0;
        std::deque<Control> controls;  ///< On their way.
        bool serving = false;
        pcie::Picoseconds asleep_since = 0;
    };

    Ring& ring(std::size_t from, std::size_t to);
    Core& core(std::size_t node);
    std::uint64_t window(const Ring& ring) const;
    std::uint64_t window_back(const Ring& ring) const;
    void produce(Ring& ring);
    void publish(Ring& ring);
    void wake(Ring& ring);
    void serve(Ring& ring);
    void give_credits(Ring& ring, bool to_sleep);
    void take_credits(Ring& ring);

    pcie::System& system_;
    pcie::Timeline& timeline_;
    pcie::RdmaConfig config_;
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<Ring>> rings_;
    std::vector<Ring*> ring_of_number_;
    std::map<std::size_t, std::unique_ptr<Core>> cores_;
    std::uint64_t doorbells_ = 0;
};

}  // namespace ntblab::sim
