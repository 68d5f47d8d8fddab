// SPDX-License-Identifier: MIT
#include "pcie/root_complex.h"

#include <algorithm>
#include <stdexcept>

namespace ntblab::pcie {
namespace {

bool is_interrupt(const Tlp& tlp) {
    return tlp.address >= kInterruptSpace && tlp.address - kInterruptSpace < kInterruptSpaceSize;
}

}  // namespace

RootComplex::Port::Port(RootComplex& owner, unsigned number)
    : in(("in" + std::to_string(number)).c_str(), owner, number),
      out(("out" + std::to_string(number)).c_str(), owner, number) {}

RootComplex::RootComplex(sc_core::sc_module_name name, const RootComplexConfig& config, TlpPool& pool)
    : sc_module(name),
      config_(config),
      pool_(pool),
      iommu_(config.iommu),
      slots_(config.reads, 0),
      from_cpu_("from_cpu", *this, config.ports),
      to_cpu_("to_cpu", *this, config.ports) {
    if (config.rcb != 64 && config.rcb != 128) throw std::invalid_argument("an RCB is 64 or 128 bytes");
    if (config.mps == 0 || config.mps % config.rcb != 0)
        throw std::invalid_argument("a host's MPS is a multiple of its RCB");
    if (config.reads == 0) throw std::invalid_argument("a host serves one read at a time at least");
    if (config.ports == 0) throw std::invalid_argument("a host has a root port");
    for (unsigned port = 0; port < config.ports; ++port)
        ports_.push_back(std::make_unique<Port>(*this, port));
    set_memory(false, false);
}

void RootComplex::set_memory(bool uncached, bool remote) {
    remote_ = remote ? config_.remote : 0;
    memory_ = config_.read + (uncached ? config_.uncached : 0) + remote_;
}

void RootComplex::receive(unsigned port, Tlp& tlp) {
    if (is_cpu(port)) return forward_request(tlp);
    switch (flow_class(tlp.type)) {
        case FlowClass::posted:
            return write(port, tlp);
        case FlowClass::non_posted:
            return read(port, tlp);
        case FlowClass::completion:
            return forward_completion(port, tlp);
    }
}

void RootComplex::released(unsigned port, Tlp& tlp, Picoseconds at) {
    if (is_cpu(port)) {
        ports_[tlp.flow]->in.release(tlp, at);
    } else if (tlp.type != TlpType::completion) {
        from_cpu_.release(tlp, at);
    }
}

void RootComplex::forward_request(Tlp& tlp) {
    const std::uint64_t port = tlp.address / kPortSpace;
    if (port == 0 || port > config_.ports)
        throw std::out_of_range("the CPU has no root port at this address");
    tell(observer_, *this, tlp, Part::egress, tlp.tail, tlp.tail + config_.egress);
    tlp.flow = 0;
    tlp.head += config_.egress;
    tlp.tail += config_.egress;
    tlp.ready = tlp.tail;
    ports_[port - 1]->out.send(tlp);
}

void RootComplex::forward_completion(unsigned port, Tlp& tlp) {
    tell(observer_, *this, tlp, Part::ingress, tlp.tail, tlp.tail + config_.ingress);
    tlp.flow = port;
    tlp.head += config_.ingress;
    tlp.tail += config_.ingress;
    to_cpu_.send(tlp);
}

void RootComplex::write(unsigned port, Tlp& tlp) {
    const Picoseconds arrived = tlp.tail + config_.ingress;
    const Picoseconds translated = iommu_.translate(tlp.address, arrived);
    Picoseconds& done = ports_[port]->posted_done;
    done = std::max(done, translated);
    ++statistics_.writes;
    statistics_.written += tlp.length;
    Picoseconds visible = done + config_.write + remote_;
    if (is_interrupt(tlp)) {
        ++statistics_.interrupts;
        visible = done + config_.interrupt;
    }
    if (observer_ != nullptr) {
        tell(observer_, *this, tlp, Part::ingress, tlp.tail, arrived);
        tell(observer_, *this, tlp, Part::iommu, arrived, translated);
        tell(observer_, *this, tlp, Part::ordering, translated, done);
        tell(observer_, *this, tlp, is_interrupt(tlp) ? Part::interrupt : Part::memory_write, done, visible);
        observer_->ended(*this, tlp, visible);
    }
    ports_[port]->busy.add(tlp.tail, visible);
    on_write(tlp, visible);
    ports_[port]->in.release(tlp, done);
    tlp.release();
}

void RootComplex::read(unsigned port, Tlp& tlp) {
    ++statistics_.reads;
    statistics_.read += tlp.length;
    const Picoseconds arrived = tlp.tail + config_.ingress;
    const Picoseconds translated = iommu_.translate(tlp.address, arrived);
    const Picoseconds ordered = std::max(translated, ports_[port]->posted_done);
    const auto slot = std::min_element(slots_.begin(), slots_.end());
    const Picoseconds begins = std::max(ordered, *slot);
    statistics_.waited_for_slot += begins - ordered;
    *slot = begins + memory_;
    while (!reads_.empty() && reads_.top() <= tlp.tail) reads_.pop();
    statistics_.queue.add(static_cast<std::uint32_t>(reads_.size()));
    reads_.push(*slot);
    ports_[port]->busy.add(tlp.tail, *slot);
    if (observer_ != nullptr) {
        tell(observer_, *this, tlp, Part::ingress, tlp.tail, arrived);
        tell(observer_, *this, tlp, Part::iommu, arrived, translated);
        tell(observer_, *this, tlp, Part::ordering, translated, ordered);
        tell(observer_, *this, tlp, Part::read_slot, ordered, begins);
        tell(observer_, *this, tlp, Part::memory_read, begins, *slot);
        observer_->ended(*this, tlp, *slot);
    }
    ports_[port]->in.release(tlp, begins);
    answer(port, tlp, *slot);
    tlp.release();
}

void RootComplex::answer(unsigned port, const Tlp& request, Picoseconds at) {
    const unsigned most = config_.split_at_every_rcb ? config_.rcb : config_.mps;
    std::uint64_t address = request.address;
    std::uint32_t left = request.length;
    do {
        // All but the last end where a multiple of `most` does, which one of RCB is, too (PCIe 4.0, 2.3.1.1).
        const std::uint32_t length =
            std::min<std::uint32_t>(left, most - static_cast<std::uint32_t>(address % most));
        Tlp& completion = pool_.make(TlpType::completion);
        completion.requester = request.requester;
        completion.tag = request.tag;
        completion.cookie = request.cookie;
        completion.cause = request.serial;
        completion.address = address;
        completion.length = length;
        completion.remaining = left;
        completion.relaxed_ordering = request.relaxed_ordering;
        completion.head = completion.tail = completion.ready = at;
        ++statistics_.completions;
        ports_[port]->out.send(completion);
        address += length;
        left -= length;
    } while (left > 0);
}

}  // namespace ntblab::pcie
