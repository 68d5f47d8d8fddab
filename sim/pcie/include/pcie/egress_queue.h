// SPDX-License-Identifier: MIT
// What waits to be sent over one link: a queue for each flow and class, the ordering rules between the
// classes of a flow, and arbitration between flows.
//
//     EgressQueue queue({1, 1, 2});                    // three flows; the third has two TLPs in its turn
//     queue.push(tlp);
//     const auto choice = queue.choose(now(), [&](const Tlp& tlp) { return credits.starved(tlp) ==
//     Starved::nothing; }); if (choice.tlp) queue.pop(*choice.tlp); else wake_at(choice.next_ready);
//
// Rules (PCIe 4.0, table 2-39; "may it pass?"): posted past all but posted; non-posted past no posted; a
// completion past posted with relaxed ordering, and past non-posted. With ID-based ordering, past what others
// have posted. Within a class, never. See docs/model.md.
#pragma once

#include <array>
#include <bit>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

#include "pcie/tlp.h"

namespace ntblab::pcie {

class EgressQueue {
  public:
    static constexpr unsigned kMostFlows = 128;

    /// One flow for each weight, how many TLPs it may send in its turn; equal ones are round robin.
    explicit EgressQueue(std::vector<unsigned> weights);

    struct Choice {
        Tlp* tlp = nullptr;
        /// Without a TLP: when the first of those that are not held up by order or credits is ready.
        Picoseconds next_ready = kNever;
        /// One that is ready, but for want of credits.
        const Tlp* unaffordable = nullptr;
    };

    void push(Tlp& tlp);
    template <typename Affordable>
    Choice choose(Picoseconds time, Affordable affordable) const;
    /// The one that was chosen.
    void pop(const Tlp& tlp);

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

  private:
    using Lane = boost::circular_buffer<Tlp*>;  ///< Without memory until it is used: most never are.
    struct Flow {
        std::array<Lane, kFlowClasses> lanes;
        unsigned weight = 1;
    };

    /// Ordered behind a posted TLP that is still here.
    static bool held_up(const Flow& flow, const Tlp& tlp);
    template <typename Affordable>
    static void consider(const Flow& flow, Picoseconds time, Affordable& affordable, Choice& choice);

    std::vector<Flow> flows_;
    std::array<std::uint64_t, kMostFlows / 64> occupied_{};  ///< A bit for each flow that has something.
    std::size_t size_ = 0;
    std::uint64_t pushed_ = 0;
    unsigned turn_ = 0;   ///< The flow whose turn it is,
    unsigned turn_left_;  ///< for so many TLPs.
};

template <typename Affordable>
void EgressQueue::consider(const Flow& flow, Picoseconds time, Affordable& affordable, Choice& choice) {
    for (const Lane& lane : flow.lanes) {
        if (lane.empty()) continue;
        Tlp& tlp = *lane.front();
        if (choice.tlp != nullptr && tlp.order > choice.tlp->order) continue;
        if (held_up(flow, tlp)) continue;
        if (tlp.ready > time) {
            if (tlp.ready < choice.next_ready) choice.next_ready = tlp.ready;
        } else if (affordable(tlp)) {
            choice.tlp = &tlp;
        } else {
            choice.unaffordable = &tlp;
        }
    }
}

template <typename Affordable>
EgressQueue::Choice EgressQueue::choose(Picoseconds time, Affordable affordable) const {
    Choice choice;
    // From the flow whose turn it is, round to the one before it, whose word of bits comes in two parts.
    const std::size_t words = occupied_.size();
    const std::uint64_t before = (std::uint64_t{1} << turn_ % 64) - 1;
    for (std::size_t i = 0; i <= words; ++i) {
        const std::size_t word = (turn_ / 64 + i) % words;
        std::uint64_t flows = occupied_[word];
        if (i == 0) flows &= ~before;
        if (i == words) flows &= before;
        for (; flows != 0; flows &= flows - 1) {
            consider(flows_[64 * word + static_cast<std::size_t>(std::countr_zero(flows))], time, affordable,
                     choice);
            if (choice.tlp != nullptr) return choice;
        }
    }
    return choice;
}

}  // namespace ntblab::pcie
