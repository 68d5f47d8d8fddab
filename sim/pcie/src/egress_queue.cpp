// SPDX-License-Identifier: MIT
#include "pcie/egress_queue.h"

#include <algorithm>
#include <stdexcept>

namespace ntblab::pcie {

EgressQueue::EgressQueue(std::vector<unsigned> weights) : flows_(weights.size()) {
    if (weights.empty() || weights.size() > kMostFlows)
        throw std::invalid_argument("an egress has 1 to 128 flows");
    for (std::size_t flow = 0; flow < weights.size(); ++flow) {
        if (weights[flow] == 0) throw std::invalid_argument("a weight is 1 or more");
        flows_[flow].weight = weights[flow];
    }
    turn_left_ = weights[0];
}

void EgressQueue::push(Tlp& tlp) {
    tlp.order = ++pushed_;
    Lane& lane = flows_.at(tlp.flow).lanes[class_index(tlp)];
    if (lane.full()) lane.set_capacity(std::max<std::size_t>(8, 2 * lane.capacity()));
    lane.push_back(&tlp);
    occupied_[tlp.flow / 64] |= std::uint64_t{1} << tlp.flow % 64;
    ++size_;
}

bool EgressQueue::held_up(const Flow& flow, const Tlp& tlp) {
    const FlowClass of = flow_class(tlp.type);
    if (of == FlowClass::posted || (of == FlowClass::completion && tlp.relaxed_ordering)) return false;
    const std::uint16_t sender = of == FlowClass::completion ? tlp.completer : tlp.requester;
    for (const Tlp* posted : flow.lanes[index_of(FlowClass::posted)]) {
        // A completion is of the time when its data was read, however early it is queued.
        const bool before =
            posted->order < tlp.order || (of == FlowClass::completion && posted->ready < tlp.ready);
        if (!before) return false;
        if (!tlp.id_ordering || posted->requester == sender) return true;
    }
    return false;
}

void EgressQueue::pop(const Tlp& tlp) {
    Flow& flow = flows_[tlp.flow];
    flow.lanes[class_index(tlp)].pop_front();
    --size_;
    bool left = false;
    for (const Lane& lane : flow.lanes) left = left || !lane.empty();
    if (!left) occupied_[tlp.flow / 64] &= ~(std::uint64_t{1} << tlp.flow % 64);
    if (turn_ != tlp.flow) {
        turn_ = tlp.flow;
        turn_left_ = flow.weight;
    }
    if (--turn_left_ == 0) {
        turn_ = turn_ + 1 < flows_.size() ? turn_ + 1 : 0;
        turn_left_ = flows_[turn_].weight;
    }
}

}  // namespace ntblab::pcie
