// SPDX-License-Identifier: MIT
#include "pcie/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace ntblab::pcie {
namespace {

constexpr std::size_t kMostViolations = 100;

std::uint32_t tag_key(const Tlp& tlp) {
    return std::uint32_t{tlp.requester} << 16 | tlp.tag;
}

}  // namespace

void LinkRules::complain(unsigned side, const Tlp& tlp, const std::string& what) {
    if (violations_.size() >= kMostViolations) return;
    violations_.push_back(
        fmt::format("{} ps: {} {} of side {} ({} bytes at {:#x}, requester {:04x}, tag {}): {}", now(),
                    name_of(tlp), tlp.serial, side, tlp.length, tlp.address, tlp.requester, tlp.tag, what));
}

void LinkRules::sent(unsigned side, const Tlp& tlp) {
    Side& sender = sides_[side];
    const bool may_pass = tlp.id_ordering || (tlp.type == TlpType::completion && tlp.relaxed_ordering);
    sender.flows[tlp.flow].classes[class_index(tlp)].push_back(
        {tlp.serial, tlp.type, tlp.length, ++sender.sent, may_pass});
    check_size(side, tlp);
    check_tags(side, tlp);
}

void LinkRules::check_size(unsigned side, const Tlp& tlp) {
    if (data_bytes(tlp) > mps_)
        complain(side, tlp, fmt::format("{} bytes of data are more than the MPS, {}", data_bytes(tlp), mps_));
    constexpr std::uint64_t kPage = 4096;
    if (tlp.type != TlpType::completion && tlp.address % kPage + tlp.length > kPage)
        complain(side, tlp, "it crosses a boundary of 4 KiB");
}

// A read's tag is its side's from when it is sent until its last completion has been sent back.
void LinkRules::check_tags(unsigned side, const Tlp& tlp) {
    if (tlp.type == TlpType::completion) return check_completion(side, tlp);
    if (tlp.type == TlpType::memory_read && !sides_[side].tags.emplace(tag_key(tlp), tlp.length).second)
        complain(side, tlp, "its tag is in use");
}

void LinkRules::check_completion(unsigned side, const Tlp& tlp) {
    auto& waiting = sides_[1 - side].tags;
    const auto read = waiting.find(tag_key(tlp));
    if (read == waiting.end()) {
        complain(side, tlp, "no read of this tag waits for it");
        return;
    }
    if (!tlp.unsupported && (tlp.remaining != read->second || tlp.length > tlp.remaining))
        complain(side, tlp,
                 fmt::format("its byte count is {}, and {} bytes are to come", tlp.remaining, read->second));
    read->second -= std::min(read->second, tlp.length);
    if (tlp.unsupported || tlp.remaining == tlp.length) waiting.erase(read);
}

void LinkRules::delivered(unsigned side, const Tlp& tlp, Picoseconds at) {
    Side& sender = sides_[side];
    if (at < sender.last_delivery) complain(side, tlp, "it arrives before one that was delivered before it");
    sender.last_delivery = at;
    // The flow of a TLP is its sender's until here.
    Flow& flow = sender.flows[tlp.flow];
    auto& travelling = flow.classes[class_index(tlp)];
    const auto found =
        std::ranges::find_if(travelling, [&](const Travelling& other) { return other.serial == tlp.serial; });
    if (found == travelling.end()) {
        complain(side, tlp, "it was not sent, or has been delivered before");
        return;
    }
    if (found->length != tlp.length)
        complain(side, tlp, fmt::format("it was sent with {} bytes", found->length));
    if (found != travelling.begin()) complain(side, tlp, "it has passed one of its class");
    check_order(side, tlp, flow, *found);
    travelling.erase(found);
    check_buffer(side, tlp, at);
}

void LinkRules::check_order(unsigned side, const Tlp& tlp, const Flow& flow, const Travelling& travelling) {
    const auto& posted = flow.classes[index_of(FlowClass::posted)];
    if (flow_class(tlp.type) != FlowClass::posted && !travelling.may_pass_posted && !posted.empty() &&
        posted.front().order < travelling.order)
        complain(side, tlp, fmt::format("it has passed the posted TLP {}", posted.front().serial));
}

void LinkRules::check_buffer(unsigned side, const Tlp& tlp, Picoseconds at) {
    Side& sender = sides_[side];
    for (auto release = sender.releases.begin(); release != sender.releases.end() && release->first <= at;
         release = sender.releases.erase(release)) {
        sender.headers[release->second.first] -= 1;
        sender.data[release->second.first] -= release->second.second;
    }
    const std::size_t of_class = class_index(tlp);
    const CreditPair& limit = limits_[side][of_class];
    sender.headers[of_class] += 1;
    sender.data[of_class] += data_credits(tlp);
    if (limit.header != kInfiniteCredits && sender.headers[of_class] > limit.header)
        complain(side, tlp,
                 fmt::format("{} TLPs are in a buffer for {}", sender.headers[of_class], limit.header));
    if (limit.data != kInfiniteCredits && sender.data[of_class] > limit.data)
        complain(side, tlp, fmt::format("{} data credits are used of {}", sender.data[of_class], limit.data));
}

void LinkRules::released(unsigned side, const Tlp& tlp, Picoseconds at) {
    sides_[side].releases.insert({at, {class_index(tlp), data_credits(tlp)}});
}

bool LinkRules::at_rest() const {
    return std::ranges::all_of(sides_, [](const Side& side) {
        std::array<std::int64_t, kFlowClasses> headers = side.headers;
        for (const auto& [at, freed] : side.releases) headers[freed.first] -= 1;
        const bool none_travels = std::ranges::all_of(side.flows, [](const auto& flow) {
            return std::ranges::all_of(flow.second.classes,
                                       [](const auto& travelling) { return travelling.empty(); });
        });
        return side.tags.empty() && none_travels &&
               std::ranges::all_of(headers, [](std::int64_t left) { return left == 0; });
    });
}

ProtocolChecker::ProtocolChecker(sc_core::sc_module_name name, Link& link, const LinkConfig& config)
    : sc_module(name), rules_({config.sides[1].credits, config.sides[0].credits}, config.mps) {
    to_link0_.bind(link.in(0));
    to_link1_.bind(link.in(1));
    link.out(0).bind(from_link0_);
    link.out(1).bind(from_link1_);
}

void ProtocolChecker::receive(unsigned port, Tlp& tlp) {
    switch (port) {
        case 0:
        case 1:
            rules_.sent(port, tlp);
            (port == 0 ? to_link0_ : to_link1_).send(tlp);
            break;
        default:
            // What comes out at one side is the other's.
            rules_.delivered(port == 2 ? 1 : 0, tlp, tlp.tail);
            (port == 2 ? out0_ : out1_).send(tlp);
            break;
    }
}

void ProtocolChecker::released(unsigned port, Tlp& tlp, Picoseconds at) {
    switch (port) {
        case 0:
        case 1:
            rules_.released(1 - port, tlp, at);
            (port == 0 ? from_link0_ : from_link1_).release(tlp, at);
            break;
        default:
            (port == 2 ? in0_ : in1_).release(tlp, at);
            break;
    }
}

}  // namespace ntblab::pcie
