// SPDX-License-Identifier: MIT
#include "pcie/dma_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ntblab::pcie {
namespace {

// Requests on their way to the link: as many as make up for the latency of the hop between.
constexpr unsigned kMostQueued = 64;

// Of writes, tags mean nothing: those of `issue()` are told from those that follow completions.
constexpr std::uint16_t kIssued = 1;

}  // namespace

DmaEngine::DmaEngine(sc_core::sc_module_name name, const DmaConfig& config, TlpPool& pool)
    : sc_module(name), config_(config), pool_(pool), reads_(config.tags) {
    if (config.tags == 0 || config.tags > kMostTags)
        throw std::invalid_argument("a DMA engine has 1 to 16384 tags");
    if (!(config.rate > 0)) throw std::invalid_argument("a DMA engine's rate is more than 0");
    if (config.mps == 0 || config.mrrs == 0) throw std::invalid_argument("MPS and MRRS are not 0");
    for (unsigned tag = config.tags; tag-- > 0;) free_tags_.push_back(static_cast<std::uint16_t>(tag));
    SC_HAS_PROCESS(DmaEngine);
    SC_METHOD(run);
    sensitive << alarm_.event();
    dont_initialize();
}

void DmaEngine::start(const Transfer& transfer, Done done) {
    if (transfer.bytes == 0) throw std::invalid_argument("a transfer has a byte at least");
    const Picoseconds begin = now() + config_.start;
    statistics_.queue.add(static_cast<std::uint32_t>(active_.size()));
    active_.push_back({transfer, std::move(done), begin, config_.descriptor > 0 ? Step::fetch : Step::issue});
    active_.back().asked = now();
    ++statistics_.transfers;
    statistics_.bytes += transfer.bytes;
    alarm_.at_latest(std::max(begin, next_));
}

// The first transfer that can go on does; those behind it may only fetch when it has issued all.
void DmaEngine::run() {
    alarm_.rang();
    if (next_ > now()) {
        alarm_.at_latest(next_);
        return;
    }
    for (Active& active : active_) {
        if (active.may_begin > now()) {
            alarm_.at_latest(active.may_begin);
            return;
        }
        if (queued_ >= kMostQueued) {  // released() goes on
            block(Part::dma_queue);
            return;
        }
        unblock(Part::dma_queue, active);
        if (advance(active)) {
            alarm_.at_latest(next_);
            return;
        }
        if (active.step < Step::drain) return;
    }
}

// true: a request has been issued.
bool DmaEngine::advance(Active& active) {
    switch (active.step) {
        case Step::fetch:
            if (!send_read(active, active.transfer.queue, config_.descriptor)) return false;
            ++queued_;
            occupy(config_.read_interval);
            active.step = Step::wait_for_descriptor;
            return true;
        case Step::issue:
            return issue(active);
        case Step::wait_for_descriptor:
        case Step::drain:
        case Step::done:
            break;
    }
    return false;
}

bool DmaEngine::issue(Active& active) {
    const Transfer& transfer = active.transfer;
    const bool writes = transfer.kind == Transfer::Kind::write;
    Place place = writes ? transfer.target : transfer.source;
    place.address += active.issued;
    const unsigned most = writes ? config_.mps : config_.mrrs;
    const auto bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(transfer.bytes - active.issued, most - place.address % most));
    if (writes)
        send({TlpType::memory_write, place, bytes, transfer.cookie, kIssued, now(), active.descriptor},
             &active);
    else if (!send_read(active, place, bytes))
        return false;
    ++queued_;
    active.issued += bytes;
    occupy(passing(writes, bytes, active.issued == transfer.bytes));
    if (active.issued == transfer.bytes) {
        active.step = Step::drain;
        if (writes) {
            active.finished = now();
            conclude(active);
        }
    }
    return true;
}

void DmaEngine::occupy(Picoseconds span) {
    next_ = now() + span;
    statistics_.busy += span;
}

// What a read asks for comes as completions of MPS.
Picoseconds DmaEngine::passing(bool writes, std::uint32_t bytes, bool last) const {
    constexpr unsigned kWriteHeader = 16, kCompletionHeader = 12;
    const unsigned tlps = (bytes + config_.mps - 1) / config_.mps;
    const double passes = bytes + tlps * (writes ? kWriteHeader : kCompletionHeader);
    const auto time = static_cast<Picoseconds>(std::llround(1000 * passes / config_.rate));
    return std::max(writes ? config_.issue_interval : config_.read_interval, time + (last ? config_.gap : 0));
}

bool DmaEngine::send_read(Active& active, const Place& place, std::uint32_t bytes) {
    if (free_tags_.empty()) {
        if (tagless_since_ == kNever) tagless_since_ = now();
        block(Part::dma_tag);
        return false;
    }
    unblock(Part::dma_tag, active);
    const std::uint16_t tag = free_tags_.back();
    free_tags_.pop_back();
    reads_[tag] = {&active, active.issued, bytes};
    statistics_.most_tags = std::max<std::uint64_t>(statistics_.most_tags, config_.tags - free_tags_.size());
    ++statistics_.reads;
    send({TlpType::memory_read, place, bytes, active.transfer.cookie, tag, now(), active.descriptor},
         &active);
    return true;
}

void DmaEngine::send(const Request& request, const Active* active) {
    if (request.type == TlpType::memory_write) ++statistics_.writes;
    Tlp& tlp = pool_.make(request.type);
    tlp.requester = config_.requester;
    tlp.tag = request.tag;
    tlp.partition = request.place.partition;
    tlp.address = request.place.address;
    tlp.length = request.bytes;
    tlp.cookie = request.cookie;
    tlp.cause = request.cause;
    tlp.head = tlp.tail = tlp.ready = request.at;
    if (active != nullptr) tell_wait(tlp, *active);
    if (request.from != kNever) tell(observer_, *this, tlp, Part::dma_turnaround, request.from, request.at);
    out.send(tlp);
}

void DmaEngine::block(Part by) {
    if (blocked_since_ != kNever) return;
    blocked_since_ = now();
    blocked_by_ = by;
}

void DmaEngine::unblock(Part by, Active& active) {
    if (blocked_since_ == kNever || blocked_by_ != by) return;
    const Picoseconds span = now() - std::max(blocked_since_, active.may_begin);
    (by == Part::dma_tag ? active.waited_for_tag : active.waited_for_link) += span;
    if (by == Part::dma_queue) statistics_.waited_for_link += span;
    blocked_since_ = kNever;
}

// All that those before it in its transfer have waited for is before it, too.
void DmaEngine::tell_wait(const Tlp& tlp, const Active& active) {
    const Picoseconds tags_from = now() - active.waited_for_tag;
    const Picoseconds link_from = tags_from - active.waited_for_link;
    if (active.descriptor == 0) tell(observer_, *this, tlp, Part::dma_start, active.asked, active.may_begin);
    tell(observer_, *this, tlp, Part::earlier_requests, active.may_begin, link_from);
    tell(observer_, *this, tlp, Part::dma_queue, link_from, tags_from);
    tell(observer_, *this, tlp, Part::dma_tag, tags_from, now());
}

void DmaEngine::released(unsigned, Tlp& tlp, Picoseconds at) {
    if (tlp.type == TlpType::memory_write && tlp.tag != kIssued) return;
    --queued_;
    alarm_.at_latest(std::max(at, next_));
}

void DmaEngine::receive(unsigned, Tlp& tlp) {
    Read& read = reads_.at(tlp.tag);
    Active& active = *read.active;
    const Picoseconds at = tlp.tail;
    const bool last = tlp.unsupported || tlp.remaining == tlp.length;
    const bool descriptor = active.step == Step::wait_for_descriptor;
    if (!descriptor) {
        // Of what is refused nothing comes, and nothing is waited for.
        active.arrived += tlp.unsupported ? read.left : tlp.length;
        active.finished = std::max(active.finished, at);
        active.last = tlp.serial;
        if (active.transfer.kind == Transfer::Kind::copy && tlp.length > 0) {
            active.finished = at + config_.turnaround;
            store(active, read.offset, tlp);
        }
    }
    read.offset += tlp.length;
    read.left -= tlp.length;
    if (last) {
        free_tags_.push_back(tlp.tag);
        if (tagless_since_ != kNever) {
            statistics_.waited_for_tag += at - std::min(at, tagless_since_);
            tagless_since_ = kNever;
        }
    }
    if (descriptor && last) {
        active.step = Step::issue;
        active.may_begin = at;
        active.descriptor = tlp.serial;
        active.waited_for_tag = active.waited_for_link = 0;
    } else if (!descriptor && active.step == Step::drain && active.arrived == active.transfer.bytes) {
        conclude(active);
    }
    alarm_.at_latest(std::max(at, next_));
    if (observer_ != nullptr) observer_->ended(*this, tlp, at);
    // Last, as a switch may hand over the next one at once.
    in.release(tlp, at);
    tlp.release();
}

// In as many writes as it takes: none crosses 4 KiB, or has more DWs than an MPS.
void DmaEngine::store(const Active& active, std::uint64_t offset, const Tlp& completion) {
    Place place = active.transfer.target;
    place.address += offset;
    for (std::uint32_t left = completion.length; left > 0;) {
        const std::uint64_t page_left = 4096 - place.address % 4096;
        const auto part = static_cast<std::uint32_t>(
            std::min({std::uint64_t{left}, page_left, config_.mps - place.address % 4}));
        send({TlpType::memory_write, place, part, active.transfer.cookie, 0, active.finished,
              completion.serial, completion.tail},
             nullptr);
        place.address += part;
        left -= part;
    }
}

// The completion entry and the interrupt, which push the data before them.
void DmaEngine::conclude(Active& active) {
    const Place queue = active.transfer.queue;
    const Picoseconds at = active.finished;
    if (config_.completion > 0)
        send({TlpType::memory_write, queue, config_.completion, 0, 0, at, active.last, at}, nullptr);
    if (config_.interrupt)
        send({TlpType::memory_write, {queue.partition, kInterruptSpace}, 4, 0, 0, at, active.last, at},
             nullptr);
    active.step = Step::done;
    active.done(active.finished);
    while (!active_.empty() && active_.front().step == Step::done) active_.pop_front();
}

}  // namespace ntblab::pcie
