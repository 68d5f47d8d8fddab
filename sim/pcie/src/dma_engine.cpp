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
    if (config.tags == 0 || config.tags > 1024)
        throw std::invalid_argument("a DMA engine has 1 to 1024 tags");
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
    active_.push_back({transfer, std::move(done), begin, config_.descriptor > 0 ? Step::fetch : Step::issue});
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
        if (queued_ >= kMostQueued) return;  // released() goes on
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
            next_ = now() + config_.read_interval;
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
        send_write(place, bytes, transfer.cookie, now(), kIssued);
    else if (!send_read(active, place, bytes))
        return false;
    ++queued_;
    active.issued += bytes;
    next_ = now() + busy(writes, bytes, active.issued == transfer.bytes);
    if (active.issued == transfer.bytes) {
        active.step = Step::drain;
        if (writes) {
            active.finished = now();
            conclude(active);
        }
    }
    return true;
}

// What a read asks for comes as completions of MPS.
Picoseconds DmaEngine::busy(bool writes, std::uint32_t bytes, bool last) const {
    constexpr unsigned kWriteHeader = 16, kCompletionHeader = 12;
    const unsigned tlps = (bytes + config_.mps - 1) / config_.mps;
    const double passes = bytes + tlps * (writes ? kWriteHeader : kCompletionHeader);
    const auto time = static_cast<Picoseconds>(std::llround(1000 * passes / config_.rate));
    return std::max(writes ? config_.issue_interval : config_.read_interval, time + (last ? config_.gap : 0));
}

bool DmaEngine::send_read(Active& active, const Place& place, std::uint32_t bytes) {
    if (free_tags_.empty()) {
        if (tagless_since_ == kNever) tagless_since_ = now();
        return false;
    }
    const std::uint16_t tag = free_tags_.back();
    free_tags_.pop_back();
    reads_[tag] = {&active, active.issued, bytes};
    statistics_.most_tags = std::max<std::uint64_t>(statistics_.most_tags, config_.tags - free_tags_.size());
    ++statistics_.reads;
    send(TlpType::memory_read, place, bytes, active.transfer.cookie, now(), tag);
    return true;
}

void DmaEngine::send_write(const Place& place, std::uint32_t bytes, std::uint64_t cookie, Picoseconds at,
                           std::uint16_t tag) {
    ++statistics_.writes;
    send(TlpType::memory_write, place, bytes, cookie, at, tag);
}

void DmaEngine::send(TlpType type, const Place& place, std::uint32_t bytes, std::uint64_t cookie,
                     Picoseconds at, std::uint16_t tag) {
    Tlp& tlp = pool_.make(type);
    tlp.requester = config_.requester;
    tlp.tag = tag;
    tlp.partition = place.partition;
    tlp.address = place.address;
    tlp.length = bytes;
    tlp.cookie = cookie;
    tlp.head = tlp.tail = tlp.ready = at;
    out.send(tlp);
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
        if (active.transfer.kind == Transfer::Kind::copy && tlp.length > 0) {
            Place place = active.transfer.target;
            place.address += read.offset;
            active.finished = at + config_.turnaround;
            send_write(place, tlp.length, active.transfer.cookie, active.finished, 0);
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
    } else if (!descriptor && active.step == Step::drain && active.arrived == active.transfer.bytes) {
        conclude(active);
    }
    alarm_.at_latest(std::max(at, next_));
    // Last, as a switch may hand over the next one at once.
    in.release(tlp, at);
    tlp.release();
}

// The completion entry and the interrupt, which push the data before them.
void DmaEngine::conclude(Active& active) {
    const Place queue = active.transfer.queue;
    if (config_.completion > 0) send_write(queue, config_.completion, 0, active.finished, 0);
    if (config_.interrupt) send_write({queue.partition, kInterruptSpace}, 4, 0, active.finished, 0);
    active.step = Step::done;
    active.done(active.finished);
    while (!active_.empty() && active_.front().step == Step::done) active_.pop_front();
}

}  // namespace ntblab::pcie
