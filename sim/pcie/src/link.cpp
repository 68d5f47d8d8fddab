// SPDX-License-Identifier: MIT
#include "pcie/link.h"

#include <algorithm>
#include <stdexcept>

#include "bit_errors.h"
#include "link_receiver.h"
#include "pcie/egress_queue.h"
#include "replay_buffer.h"

namespace ntblab::pcie {
namespace {

LinkReceiver::Timing receiver_timing(const LinkConfig& config, const Encoding& encoding) {
    const Picoseconds latency =
        to_picoseconds(encoding.update_latency_symbols(config.mps) * encoding.symbol_time());
    // PCIe 5.0, 3.6.2.1: three times what an acknowledgement may take.
    return {latency, 3 * latency + 2 * config.propagation};
}

void check(const LinkConfig& config) {
    const std::uint32_t largest = config.mps + 16 + kTlpFraming;
    for (const LinkSide& side : config.sides) {
        if (config.mps > side.max_payload)
            throw std::invalid_argument("a link's MPS is at most what both of its ports support");
        for (std::size_t of_class = 0; of_class < kFlowClasses; ++of_class) {
            const bool has_data = of_class != index_of(FlowClass::non_posted);
            const CreditPair& credits = side.credits[of_class];
            if (credits.header == 0 || (has_data && credits.data < (config.mps + 15) / 16))
                throw std::invalid_argument("a port has to have credits for one TLP of the largest payload");
        }
        if (side.replay_buffer < largest)
            throw std::invalid_argument("a replay buffer has to hold one TLP of the largest payload");
    }
    if (config.bit_error_rate < 0 || config.bit_error_rate >= 1)
        throw std::invalid_argument("a bit error rate is less than 1");
}

StallCause stall_cause(const Tlp& tlp, Starved starved) {
    const auto header = static_cast<StallCause>(2 * class_index(tlp));
    const auto data = static_cast<StallCause>(2 * class_index(tlp) + 1);
    return starved == Starved::header ? header : data;
}

}  // namespace

/// What one side sends: its queue and wire, and the other side's receiver.
class Link::Direction : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    Direction(sc_core::sc_module_name name, const Link& link, const Encoding& encoding, unsigned side);

    void set_opposite(Direction& opposite) { opposite_ = &opposite; }
    void observe(Observer* observer) { observer_ = observer; }
    const Encoding& encoding() const { return encoding_; }
    const LinkStatistics& statistics() const { return statistics_; }
    bool at_rest() {
        hear(kNever);
        return queue_.empty() && replay_.empty() && credits_.all_back();
    }

    TlpTarget in;
    TlpInitiator out;

  private:
    /// What the opposite side's DLLPs say, once they are here.
    struct Heard {
        Picoseconds at;
        Dllp dllp;
    };

    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;

    void run();
    void hear(Picoseconds until);
    void wait_for_dllp();
    void arrange(Picoseconds at);
    /// When the wire can be used next, and no earlier than now.
    Ticks wire_start() const;
    Ticks skip(Ticks start);
    bool send_dllp(Ticks& start);
    bool send_tlp(Ticks start);
    bool send_new(Ticks start);
    void transmit(Tlp& tlp, std::uint32_t bytes, std::uint64_t sequence, Ticks start, bool again);
    void stall(StallCause cause, Picoseconds at);
    void resume(Picoseconds at);
    void occupy(Ticks start, Ticks span);
    Picoseconds arrival(Ticks ticks) const;

    const Link& link_;
    const unsigned side_;
    Observer* observer_ = nullptr;
    const Encoding encoding_;
    const Picoseconds transmit_delay_;
    const Picoseconds flight_;  ///< From the wire's beginning to the transaction layer at its end.
    EgressQueue queue_;
    Credits credits_;
    ReplayBuffer replay_;
    LinkReceiver receiver_;
    BitErrors errors_;
    std::deque<Heard> heard_;
    Direction* opposite_ = nullptr;
    bool stalled_ = false;
    unsigned rejections_heard_ = 0;  ///< In heard_.
    Ticks wire_free_ = 0;
    Ticks next_skip_;
    LinkStatistics statistics_;
    Alarm alarm_{"alarm"};
};

Link::Direction::Direction(sc_core::sc_module_name name, const Link& link, const Encoding& encoding,
                           unsigned side)
    : sc_module(name),
      in("in", *this, 0),
      out("out", *this, 0),
      link_(link),
      side_(side),
      encoding_(encoding),
      transmit_delay_(link.config().sides[side].transmit_delay),
      flight_(link.config().propagation + link.config().sides[1 - side].receive_delay),
      queue_(link.config().sides[side].weights),
      credits_(link.config().sides[1 - side].credits),
      replay_(link.config().sides[side].replay_buffer),
      receiver_(link.config().sides[1 - side].credits, receiver_timing(link.config(), encoding)),
      errors_(link.config().bit_error_rate, link.config().seed * 2 + side),
      next_skip_(encoding.skip_interval()) {
    SC_HAS_PROCESS(Direction);
    SC_METHOD(run);
    sensitive << alarm_.event();
    dont_initialize();
}

void Link::Direction::receive(unsigned, Tlp& tlp) {
    const Picoseconds from = tlp.ready;
    tlp.ready = std::max(from, now()) + transmit_delay_;
    if (observer_ != nullptr) observer_->queued(link_, side_, tlp, from);
    statistics_.queue.add(static_cast<std::uint32_t>(queue_.size()));
    queue_.push(tlp);
    arrange(tlp.ready);
}

// The receiver's buffer is free: its credits go back by way of the opposite wire.
void Link::Direction::released(unsigned, Tlp& tlp, Picoseconds at) {
    receiver_.free(class_index(tlp), {1, data_credits(tlp)}, at);
    opposite_->arrange(receiver_.due());
}

void Link::Direction::arrange(Picoseconds at) {
    if (at != kNever) alarm_.at_latest(std::max(at, to_picoseconds(wire_free_)));
}

Ticks Link::Direction::wire_start() const {
    const Ticks time = to_ticks(now());
    // A wire that has become free within this picosecond goes on from there: nothing is lost by rounding.
    return wire_free_ <= time && time - wire_free_ < kTicksPerPicosecond ? wire_free_
                                                                         : std::max(wire_free_, time);
}

void Link::Direction::run() {
    alarm_.rang();
    Ticks start = wire_start();
    if (to_picoseconds(start) > now()) {
        arrange(now());
        return;
    }
    hear(now());
    start = skip(start);
    bool sent = false;
    while (send_dllp(start)) sent = true;
    sent = send_tlp(start) || sent;
    if (sent && (!queue_.empty() || replay_.replays())) arrange(now());
    arrange(opposite_->receiver_.due());
    wait_for_dllp();
}

// Others are heard when there is something to send.
void Link::Direction::wait_for_dllp() {
    if (!heard_.empty() && (stalled_ || rejections_heard_ > 0)) arrange(heard_.front().at);
}

void Link::Direction::hear(Picoseconds until) {
    for (; !heard_.empty() && heard_.front().at <= until; heard_.pop_front()) {
        const Dllp& dllp = heard_.front().dllp;
        if (dllp.kind == Dllp::Kind::update_credits) {
            credits_.give_back(dllp.of_class, dllp.freed);
            continue;
        }
        replay_.acknowledge(dllp.sequence);
        if (dllp.kind == Dllp::Kind::reject) {
            replay_.rewind();
            --rejections_heard_;
        }
    }
}

// Those that were due while the wire was idle have done no harm.
Ticks Link::Direction::skip(Ticks start) {
    if (encoding_.flits()) return start;
    while (next_skip_ <= start) {
        const bool was_busy = next_skip_ < wire_free_;
        const Ticks begin = was_busy ? start : next_skip_;
        next_skip_ += encoding_.skip_interval();
        if (begin + encoding_.skip_time() <= start) continue;
        occupy(begin, encoding_.skip_time());
        ++statistics_.skips;
        if (observer_ != nullptr)
            observer_->skipped(link_, side_, to_picoseconds(begin), to_picoseconds(wire_free_));
        start = wire_free_;
    }
    return start;
}

void Link::Direction::occupy(Ticks start, Ticks span) {
    wire_free_ = start + span;
    statistics_.busy += span;
}

Picoseconds Link::Direction::arrival(Ticks ticks) const {
    if (encoding_.flits()) {  // with the rest of its FLIT
        const Ticks flit = encoding_.flit_time();
        ticks = (ticks + flit - 1) / flit * flit;
    }
    return to_picoseconds(ticks) + flight_;
}

bool Link::Direction::send_dllp(Ticks& start) {
    LinkReceiver& reporter = opposite_->receiver_;
    const Picoseconds at = to_picoseconds(start);
    if (reporter.due() > at) return false;
    const Dllp dllp = reporter.next(at);
    switch (dllp.kind) {
        case Dllp::Kind::acknowledge:
            ++statistics_.acknowledgements;
            break;
        case Dllp::Kind::reject:
            ++statistics_.rejections;
            break;
        case Dllp::Kind::update_credits:
            ++statistics_.credit_updates;
            break;
    }
    if (!encoding_.flits()) occupy(start, encoding_.ticks(kDllpBytes));
    const Picoseconds arrives = arrival(start + encoding_.ticks(kDllpBytes));
    start = std::max(start, wire_free_);
    const bool whole = !errors_.hit(std::uint64_t{8} * kDllpBytes);
    if (observer_ != nullptr)
        observer_->sent(link_, side_, dllp, DllpOnWire{at, to_picoseconds(start), arrives, whole});
    if (!whole) {
        ++statistics_.corrupted;
        reporter.lost(dllp, at);
        return true;
    }
    opposite_->heard_.push_back({arrives, dllp});
    if (dllp.kind == Dllp::Kind::reject) ++opposite_->rejections_heard_;
    opposite_->wait_for_dllp();
    return true;
}

bool Link::Direction::send_tlp(Ticks start) {
    if (!replay_.replays()) return send_new(start);
    ReplayBuffer::Entry& entry = replay_.next();
    const std::uint64_t sequence = replay_.next_sequence();
    replay_.sent_again();
    ++statistics_.replayed;
    statistics_.replayed_bytes += entry.bytes;
    transmit(*entry.tlp, entry.bytes, sequence, start, true);
    return true;
}

bool Link::Direction::send_new(Ticks start) {
    const Picoseconds at = to_picoseconds(start);
    const EgressQueue::Choice choice =
        queue_.choose(at, [this](const Tlp& tlp) { return credits_.starved(tlp) == Starved::nothing; });
    stalled_ = false;
    if (choice.tlp == nullptr) {
        arrange(choice.next_ready);
        if (choice.unaffordable != nullptr) {
            stalled_ = true;
            stall(stall_cause(*choice.unaffordable, credits_.starved(*choice.unaffordable)), at);
        }
        return false;
    }
    Tlp& tlp = *choice.tlp;
    const std::uint32_t bytes = encoding_.tlp_bytes(tlp);
    if (!replay_.has_room(bytes)) {
        stalled_ = true;
        stall(StallCause::replay_buffer, at);
        return false;
    }
    resume(at);
    queue_.pop(tlp);
    credits_.consume(tlp);
    ++statistics_.tlps;
    statistics_.tlp_bytes += bytes;
    statistics_.payload_bytes += payload_bytes(tlp);
    in.release(tlp, to_picoseconds(start + encoding_.ticks(bytes)));
    transmit(tlp, bytes, replay_.add(tlp, bytes), start, false);
    return true;
}

void Link::Direction::stall(StallCause cause, Picoseconds at) {
    if (observer_ != nullptr && !statistics_.stalls.is(cause)) observer_->stalled(link_, side_, cause, at);
    statistics_.stalls.begin(cause, at);
}

void Link::Direction::resume(Picoseconds at) {
    if (observer_ != nullptr && statistics_.stalls.any()) observer_->resumed(link_, side_, at);
    statistics_.stalls.end(at);
}

void Link::Direction::transmit(Tlp& tlp, std::uint32_t bytes, std::uint64_t sequence, Ticks start,
                               bool again) {
    occupy(start, encoding_.ticks(bytes));
    const bool whole = !errors_.hit(std::uint64_t{8} * bytes);
    if (!whole) ++statistics_.corrupted;
    const Picoseconds tail = arrival(wire_free_);
    const bool taken = receiver_.take(sequence, whole, tail);
    if (observer_ != nullptr)
        observer_->sent(link_, side_, tlp,
                        TlpOnWire{to_picoseconds(start), to_picoseconds(wire_free_), arrival(start), tail,
                                  sequence, bytes, again, whole, taken});
    opposite_->arrange(receiver_.due());
    if (!taken) return;
    replay_.taken(sequence);
    ++statistics_.delivered;
    statistics_.delivered_bytes += bytes;
    tlp.head = arrival(start);
    tlp.tail = tail;
    tlp.ready = tail;
    out.send(tlp);
}

Link::Link(sc_core::sc_module_name name, const LinkConfig& config) : sc_module(name), config_(config) {
    check(config);
    const Encoding encoding(config.generation, config.lanes);
    for (unsigned side : {0U, 1U})
        directions_[side] = std::make_unique<Direction>(side == 0 ? "from0" : "from1", *this, encoding, side);
    directions_[0]->set_opposite(*directions_[1]);
    directions_[1]->set_opposite(*directions_[0]);
}

Link::~Link() = default;

TlpTarget& Link::in(unsigned side) {
    return directions_.at(side)->in;
}
TlpInitiator& Link::out(unsigned side) {
    return directions_.at(1 - side)->out;
}
const Encoding& Link::encoding() const {
    return directions_[0]->encoding();
}
const LinkStatistics& Link::statistics(unsigned side) const {
    return directions_.at(side)->statistics();
}
void Link::observe(Observer* observer) {
    for (const auto& direction : directions_) direction->observe(observer);
}
bool Link::at_rest(unsigned side) const {
    return directions_.at(side)->at_rest();
}

}  // namespace ntblab::pcie
