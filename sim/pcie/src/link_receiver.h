// SPDX-License-Identifier: MIT
// The receiving end of a link's direction, as far as its sender hears of it: acknowledgements and credits
// that it owes. It is told of TLPs when they are sent, with the time at which they arrive.
//
//     LinkReceiver receiver(limits, timing);
//     if (receiver.take(sequence, whole, tail)) deliver(tlp);
//     receiver.free(class_index(tlp), {1, data_credits(tlp)}, at);     // its buffer is free then
//     if (receiver.due() <= now()) send(receiver.next(now()));
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "pcie/dllp.h"

namespace ntblab::pcie {

class LinkReceiver {
  public:
    struct Timing {
        Picoseconds update_latency = 0;  ///< That ACKs and UpdateFCs may have, to be collected.
        Picoseconds replay_timeout = 0;  ///< After which an ACK or NAK that was lost is made good.
    };

    LinkReceiver(const CreditLimits& advertised, const Timing& timing)
        : advertised_(advertised), timing_(timing) {}

    /// A TLP comes, @param whole or not. @return Whether it is taken: it is whole, and the next one.
    bool take(std::uint64_t sequence, bool whole, Picoseconds at);
    void free(std::size_t of_class, CreditPair credits, Picoseconds at);

    /// When the next DLLP is due; kNever if none is.
    Picoseconds due() const { return due_; }
    /// The one that is due at `at`.
    Dllp next(Picoseconds at);
    /// It did not arrive.
    void lost(const Dllp& dllp, Picoseconds at);

  private:
    struct Freed {
        Picoseconds at;
        CreditPair credits;
    };
    struct Account {
        std::deque<Freed> freed;          ///< In the order of time.
        CreditPair owed{0, 0};            ///< Sum of these.
        CreditPair missed{0, 0};          ///< Of updates that were lost: the next one says them, too,
        Picoseconds missed_due = kNever;  ///< which is then at the latest.
        Picoseconds updated = 0;
        Picoseconds due = kNever;
    };

    void schedule_update(std::size_t of_class);
    void find_due();

    CreditLimits advertised_;
    Timing timing_;
    std::uint64_t expected_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::deque<Picoseconds> arrivals_;  ///< Of those between the two.
    Picoseconds acknowledge_due_ = kNever;
    Picoseconds reject_due_ = kNever;
    bool rejecting_ = false;  ///< Until that which was not whole comes again.
    std::array<Account, kFlowClasses> accounts_;
    Picoseconds due_ = kNever;  ///< The first of all.
};

}  // namespace ntblab::pcie
