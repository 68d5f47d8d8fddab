// SPDX-License-Identifier: MIT
#include "pcie/ntb.h"

#include <algorithm>
#include <stdexcept>

namespace ntblab::pcie {

Ntb::Ntb(sc_core::sc_module_name name, const NtbConfig& config, TlpPool& pool)
    : sc_module(name), config_(config), pool_(pool) {
    if (config.requester_ids == 0 || config.requester_ids > 256 || config.partition > 255)
        throw std::invalid_argument("an NTB has 1 to 256 requester IDs, and partition 0 to 255");
}

void Ntb::receive(unsigned port, Tlp& tlp) {
    const bool request = tlp.type != TlpType::completion;
    if (port == kHost && request && !translate(tlp)) {
        refuse(tlp);
        return;
    }
    NtbDirectionStatistics& passed = from(port);
    ++passed.tlps;
    passed.payload_bytes += payload_bytes(tlp);
    passed.queue.add(inside_[port]++);
    const Picoseconds came = tlp.head;
    if (port == kHost && !request) tlp.partition = tlp.requester >> 8;
    if (port == kFabric && !request) tlp.requester = requesters_.at(tlp.requester & 0xff);
    // A request is translated where it comes from, a completion where it goes to.
    if (request == (port == kHost)) {
        tell(observer_, *this, tlp, Part::translation, tlp.head, tlp.head + config_.translation);
        tlp.head += config_.translation;
        tlp.tail += config_.translation;
        tlp.ready += config_.translation;
    }
    passed.busy.add(came, tlp.tail);
    (port == kHost ? to_fabric_ : to_host_).send(tlp);
}

void Ntb::released(unsigned port, Tlp& tlp, Picoseconds at) {
    // What was sent to the host came from the fabric, but for the answers of refuse().
    const unsigned came_by = port == kFabric ? kHost : kFabric;
    if (came_by == kFabric && tlp.unsupported && tlp.completer == config_.partition << 8) return;
    --inside_[came_by];
    (came_by == kHost ? from_host_ : from_fabric_).release(tlp, at);
}

bool Ntb::translate(Tlp& request) {
    const auto window = std::find_if(config_.windows.begin(), config_.windows.end(), [&](const NtbWindow& w) {
        return request.address >= w.base && request.address - w.base < w.size;
    });
    if (window == config_.windows.end()) return false;
    auto requester = std::find(requesters_.begin(), requesters_.end(), request.requester);
    if (requester == requesters_.end()) {
        if (requesters_.size() == config_.requester_ids) return false;
        requester = requesters_.insert(requesters_.end(), request.requester);
    }
    request.address = request.address - window->base + window->target;
    request.partition = window->peer;
    request.requester = proxy(config_.partition, static_cast<unsigned>(requester - requesters_.begin()));
    ++statistics_.translated;
    return true;
}

void Ntb::refuse(Tlp& request) {
    ++statistics_.unsupported;
    if (observer_ != nullptr) observer_->ended(*this, request, request.tail);
    from_host_.release(request, request.tail);
    if (request.type == TlpType::memory_read) {
        Tlp& answer = pool_.make(TlpType::completion);
        answer.unsupported = true;
        answer.requester = request.requester;
        answer.completer = static_cast<std::uint16_t>(config_.partition << 8);
        answer.tag = request.tag;
        answer.cookie = request.cookie;
        answer.cause = request.serial;
        answer.remaining = request.length;
        answer.flow = config_.partition;
        answer.head = answer.tail = answer.ready = request.tail + config_.translation;
        tell(observer_, *this, answer, Part::translation, request.tail, answer.head);
        to_host_.send(answer);
    }
    request.release();
}

}  // namespace ntblab::pcie
