// SPDX-License-Identifier: MIT
#include "pcie/cpu.h"

#include <algorithm>
#include <stdexcept>

namespace ntblab::pcie {

Cpu::Cpu(sc_core::sc_module_name name, const CpuConfig& config, TlpPool& pool)
    : sc_module(name), config_(config), pool_(pool), buffers_free_(config.buffers) {
    if (config.buffers == 0 || config.line == 0 || config.store_bytes == 0)
        throw std::invalid_argument("a CPU has a write-combining buffer, and stores of a byte at least");
    SC_HAS_PROCESS(Cpu);
    SC_METHOD(run);
    sensitive << alarm_.event();
    dont_initialize();
}

void Cpu::start(const Access& access, Done done) {
    if (access.bytes == 0) throw std::invalid_argument("an access has a byte at least");
    statistics_.queue.add(static_cast<std::uint32_t>(items_.size()));
    items_.push_back({access, std::move(done), now(), now()});
    ++statistics_.accesses;
    statistics_.bytes += access.bytes;
    if (items_.size() == 1) alarm_.at_latest(std::max(next_, now()));
}

std::uint32_t Cpu::next_bytes(const Item& item) const {
    const unsigned most =
        item.access.kind == Access::Kind::store_combined ? config_.line : config_.store_bytes;
    const std::uint64_t address = item.access.address + item.sent;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(item.access.bytes - item.sent, most - address % most));
}

void Cpu::run() {
    alarm_.rang();
    if (items_.empty() || loading_) return;
    if (next_ > now()) {
        alarm_.at_latest(next_);
        return;
    }
    Item& item = items_.front();
    if (item.access.kind != Access::Kind::load) {
        for (; !buffers_back_.empty() && buffers_back_.front() <= now(); buffers_back_.pop_front())
            ++buffers_free_;
        if (buffers_free_ == 0) {
            if (bufferless_since_ == kNever) bufferless_since_ = now();
            if (buffers_back_.empty()) return;  // released() goes on
            statistics_.waited_for_buffer += buffers_back_.front() - now();
            alarm_.at_latest(buffers_back_.front());
            return;
        }
        --buffers_free_;
        if (bufferless_since_ != kNever) item.waited += now() - bufferless_since_;
        bufferless_since_ = kNever;
    }
    send(item);
    if (item.access.kind == Access::Kind::load) {
        loading_ = true;
        return;
    }
    if (item.sent == item.access.bytes) {
        finish(now() + config_.fence);
        return;
    }
    const bool combined = item.access.kind == Access::Kind::store_combined;
    next_ = now() + (combined ? config_.line_interval : config_.store_interval);
    alarm_.at_latest(next_);
}

void Cpu::send(Item& item) {
    Tlp& tlp =
        pool_.make(item.access.kind == Access::Kind::load ? TlpType::memory_read : TlpType::memory_write);
    tlp.length = next_bytes(item);
    tlp.address = item.access.address + item.sent;
    tlp.requester = config_.requester;
    tlp.cookie = item.access.cookie;
    tlp.cause = item.cause;
    tlp.head = tlp.tail = tlp.ready = now() + config_.issue;
    item.sent += tlp.length;
    ++statistics_.tlps;
    tell(observer_, *this, tlp, Part::earlier_accesses, item.from, now() - item.waited);
    tell(observer_, *this, tlp, Part::store_buffer, now() - item.waited, now());
    tell(observer_, *this, tlp, Part::issue, now(), tlp.tail);
    out.send(tlp);
}

void Cpu::finish(Picoseconds at) {
    next_ = at;
    statistics_.busy.add(items_.front().asked, at);
    const Done done = std::move(items_.front().done);
    items_.pop_front();
    if (!items_.empty()) alarm_.at_latest(next_);
    done(at);
}

void Cpu::released(unsigned, Tlp& tlp, Picoseconds at) {
    if (tlp.type != TlpType::memory_write) return;
    buffers_back_.push_back(at);
    if (buffers_free_ == 0) alarm_.at_latest(std::max(at, next_));
}

void Cpu::receive(unsigned, Tlp& tlp) {
    const bool last = tlp.unsupported || tlp.remaining == tlp.length;
    const Picoseconds at = tlp.tail;
    Item& item = items_.front();
    if (last) {
        tell(observer_, *this, tlp, Part::load, at, at + config_.load);
        item.from = at + config_.load;
        item.cause = tlp.serial;
    }
    if (observer_ != nullptr) observer_->ended(*this, tlp, last ? at + config_.load : at);
    in.release(tlp, at);
    tlp.release();
    if (!last) return;
    loading_ = false;
    if (item.sent == item.access.bytes) {
        finish(at + config_.load);
        return;
    }
    next_ = at + config_.load;
    alarm_.at_latest(next_);
}

}  // namespace ntblab::pcie
