// SPDX-License-Identifier: MIT
#include "link_receiver.h"

#include <algorithm>

namespace ntblab::pcie {
namespace {

// PCIe 4.0, 2.6.1.2: UpdateFCs come at least that often.
constexpr Picoseconds kUpdatePeriod = nanoseconds(30'000);

bool half_of(std::uint32_t part, std::uint32_t whole) {
    return whole != kInfiniteCredits && 2 * part >= whole;
}

}  // namespace

bool LinkReceiver::take(std::uint64_t sequence, bool whole, Picoseconds at) {
    if (sequence != expected_) return false;  // after one that was not whole
    if (!whole) {
        // A second NAK for the same is not sent: its sender's replay timer has to run out
        // (PCIe 4.0, 3.6.3.1).
        reject_due_ = rejecting_ ? at + timing_.replay_timeout : at;
        rejecting_ = true;
        find_due();
        return false;
    }
    rejecting_ = false;
    ++expected_;
    arrivals_.push_back(at);
    acknowledge_due_ = std::min(acknowledge_due_, at + timing_.update_latency);
    due_ = std::min(due_, acknowledge_due_);
    return true;
}

void LinkReceiver::free(std::size_t of_class, CreditPair credits, Picoseconds at) {
    const CreditPair& limit = advertised_[of_class];
    if (limit.header == kInfiniteCredits) credits.header = 0;
    if (limit.data == kInfiniteCredits) credits.data = 0;
    if (credits == CreditPair{0, 0}) return;
    Account& account = accounts_[of_class];
    auto place = account.freed.end();
    while (place != account.freed.begin() && std::prev(place)->at > at) --place;
    account.freed.insert(place, {at, credits});
    account.owed.header += credits.header;
    account.owed.data += credits.data;
    schedule_update(of_class);
    due_ = std::min(due_, account.due);
}

// At once when half of the buffer is taken, as the sender may be waiting, else so that several go together.
void LinkReceiver::schedule_update(std::size_t of_class) {
    Account& account = accounts_[of_class];
    account.due = account.missed_due;
    if (account.freed.empty()) return;
    const CreditPair& limit = advertised_[of_class];
    const bool soon = half_of(account.owed.header, limit.header) || half_of(account.owed.data, limit.data);
    const Picoseconds at = account.freed.front().at;
    account.due = std::min(account.due, soon ? at : std::max(at, account.updated + timing_.update_latency));
}

void LinkReceiver::find_due() {
    due_ = std::min(acknowledge_due_, reject_due_);
    for (const Account& account : accounts_) due_ = std::min(due_, account.due);
}

Dllp LinkReceiver::next(Picoseconds at) {
    if (reject_due_ <= at || acknowledge_due_ <= at) {
        const bool reject = reject_due_ <= at;
        while (!arrivals_.empty() && arrivals_.front() <= at) {
            arrivals_.pop_front();
            ++acknowledged_;
        }
        acknowledge_due_ = arrivals_.empty() ? kNever : arrivals_.front() + timing_.update_latency;
        reject_due_ = reject ? kNever : reject_due_;
        find_due();
        return {reject ? Dllp::Kind::reject : Dllp::Kind::acknowledge, acknowledged_, 0, {0, 0}};
    }
    std::size_t of_class = 0;
    while (of_class + 1 < kFlowClasses && accounts_[of_class].due > at) ++of_class;
    Account& account = accounts_[of_class];
    Dllp update{Dllp::Kind::update_credits, 0, of_class, {0, 0}};
    while (!account.freed.empty() && account.freed.front().at <= at) {
        update.freed.header += account.freed.front().credits.header;
        update.freed.data += account.freed.front().credits.data;
        account.freed.pop_front();
    }
    account.owed.header -= update.freed.header;
    account.owed.data -= update.freed.data;
    update.freed.header += account.missed.header;
    update.freed.data += account.missed.data;
    account.missed = {0, 0};
    account.missed_due = kNever;
    account.updated = at;
    schedule_update(of_class);
    find_due();
    return update;
}

void LinkReceiver::lost(const Dllp& dllp, Picoseconds at) {
    switch (dllp.kind) {
        case Dllp::Kind::acknowledge:
            acknowledge_due_ = std::min(acknowledge_due_, at + timing_.replay_timeout);
            break;
        case Dllp::Kind::reject:
            reject_due_ = at + timing_.replay_timeout;
            break;
        case Dllp::Kind::update_credits: {
            // UpdateFCs give totals: the next of the class makes good for it, which comes within the period.
            Account& account = accounts_[dllp.of_class];
            account.missed.header += dllp.freed.header;
            account.missed.data += dllp.freed.data;
            account.missed_due = at + kUpdatePeriod;
            schedule_update(dllp.of_class);
            break;
        }
    }
    find_due();
}

}  // namespace ntblab::pcie
