// SPDX-License-Identifier: MIT
#include "explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace ntblab::sim {

using pcie::Link;
using pcie::Picoseconds;
using pcie::Tlp;

Recorder::Way& Recorder::way(const Tlp& tlp) {
    Way& way = ways_[tlp.serial];
    way.type = pcie::name_of(tlp);
    way.cause = tlp.cause;
    return way;
}

void Recorder::queued(const Link& link, unsigned side, const Tlp& tlp, Picoseconds from) {
    if (tlp.cookie != cookie_) return;
    Stage stage{.where = &link, .begin = from, .end = tlp.ready, .is_link = true, .side = side};
    way(tlp).stages.push_back(stage);
}

void Recorder::sent(const Link&, unsigned, const Tlp& tlp, const pcie::TlpOnWire& wire) {
    if (tlp.cookie != cookie_) return;
    Stage& stage = way(tlp).stages.back();
    stage.first = std::min(stage.first, wire.begin);
    stage.wire = wire;
}

void Recorder::stalled(const Link& link, unsigned side, pcie::StallCause cause, Picoseconds at) {
    resumed(link, side, at);
    stalls_[{&link, side}].push_back({cause, at, pcie::kNever});
}

void Recorder::resumed(const Link& link, unsigned side, Picoseconds at) {
    std::vector<Stall>& stalls = stalls_[{&link, side}];
    if (!stalls.empty() && stalls.back().end == pcie::kNever) stalls.back().end = at;
}

void Recorder::spent(const sc_core::sc_module& where, const Tlp& tlp, pcie::Part part, Picoseconds begin,
                     Picoseconds end) {
    if (tlp.cookie != cookie_) return;
    way(tlp).stages.push_back({.where = &where, .part = part, .begin = begin, .end = end});
}

void Recorder::ended(const sc_core::sc_module&, const Tlp& tlp, Picoseconds at) {
    if (tlp.cookie == cookie_) way(tlp).ended = at;
}

const Recorder::Way* Recorder::last() const {
    const Way* last = nullptr;
    for (const auto& [serial, way] : ways_)
        if (way.ended != pcie::kNever && (last == nullptr || way.ended >= last->ended)) last = &way;
    return last;
}

/// Makes steps of stages.
class Recorder::Assembly {
  public:
    Assembly(const Recorder& recorder, Picoseconds begin) : recorder_(recorder), at_(begin) {}

    /// @param purpose To be said of its type.
    void add(const Way& way, const char* purpose) {
        type_ = way.type + purpose;
        for (std::size_t i = 0; i < way.stages.size(); ++i) {
            const Stage& stage = way.stages[i];
            const Picoseconds then = i + 1 < way.stages.size() ? way.stages[i + 1].begin : way.ended;
            if (stage.is_link)
                add_link(stage, then);
            else
                add_module(stage);
        }
        // Behind a hop without a link between.
        if (!way.stages.empty()) until(way.ended, "serialization", name_of(way.stages.back()));
    }
    std::vector<Step> take() { return std::move(steps_); }

  private:
    static std::string name_of(const Stage& stage) {
        return stage.is_link ? fmt::format("{}.from{}", stage.where->basename(), stage.side)
                             : stage.where->basename();
    }

    void until(Picoseconds end, const std::string& part, const std::string& where) {
        if (end < at_)
            throw std::logic_error(
                fmt::format("{} at {} ends at {} ps, and has begun at {} ps", part, where, end, at_));
        if (end > at_) steps_.push_back({type_, part, where, at_, end});
        at_ = end;
    }

    void add_module(const Stage& stage) {
        const std::string where = name_of(stage);
        until(stage.begin, "serialization", where);
        until(stage.end, pcie::name_of(stage.part), where);
    }

    void add_link(const Stage& stage, Picoseconds then) {
        const std::string where = name_of(stage);
        const auto& config = static_cast<const Link&>(*stage.where).config();
        until(stage.begin, "serialization", where);
        until(stage.end - config.sides[stage.side].transmit_delay, "queue", where);
        until(stage.end, "transmit delay", where);
        wait(stage, where);
        until(stage.wire.begin, "replay", where);
        const bool all = then >= stage.wire.tail;
        const Picoseconds arrives = all ? stage.wire.tail : stage.wire.head;
        const Picoseconds receive = config.sides[1 - stage.side].receive_delay;
        until(arrives - receive - config.propagation, "serialization", where);
        until(arrives - receive, "propagation", where);
        until(arrives, "receive delay", where);
    }

    // Until it is sent: for credits, or for what is before it.
    void wait(const Stage& stage, const std::string& where) {
        if (const auto found = recorder_.stalls_.find({static_cast<const Link*>(stage.where), stage.side});
            found != recorder_.stalls_.end()) {
            for (const Stall& stall : found->second) {
                const Picoseconds end = std::min(stall.end, stage.first);
                if (end <= at_ || stall.begin >= stage.first) continue;
                until(std::max(at_, stall.begin), "queue", where);
                until(end,
                      stall.cause == pcie::StallCause::replay_buffer
                          ? pcie::name_of(stall.cause)
                          : fmt::format("{} credits", pcie::name_of(stall.cause)),
                      where);
            }
        }
        until(stage.first, "queue", where);
    }

    const Recorder& recorder_;
    std::string type_;
    Picoseconds at_;
    std::vector<Step> steps_;
};

std::optional<Account> Recorder::account() const {
    const Way* end = last();
    if (end == nullptr) return std::nullopt;
    std::vector<const Way*> ways{end};
    for (auto found = ways_.find(end->cause); found != ways_.end(); found = ways_.find(ways.back()->cause))
        ways.push_back(&found->second);
    std::ranges::reverse(ways);
    const Picoseconds begin = ways.front()->stages.empty() ? end->ended : ways.front()->stages.front().begin;
    // An engine's read from which a read follows is that of a descriptor.
    const bool fetches = ways.size() > 2 && ways[0]->stages.front().part == pcie::Part::dma_start &&
                         ways[2]->type == ways[0]->type;
    Assembly assembly(*this, begin);
    for (std::size_t i = 0; i < ways.size(); ++i)
        assembly.add(*ways[i], fetches && i < 2 ? " of descriptor" : "");
    return Account{begin, end->ended, assembly.take()};
}

std::vector<Step> summary(const Account& account) {
    std::vector<Step> all;
    for (const Step& step : account.steps) {
        const auto found = std::ranges::find_if(all, [&](const Step& other) {
            return other.tlp == step.tlp && other.part == step.part && other.where == step.where;
        });
        if (found == all.end()) {
            all.push_back(step);
            continue;
        }
        found->end += step.end - step.begin;
        ++found->times;
    }
    Picoseconds at = account.begin;
    for (Step& step : all) {
        const Picoseconds span = step.end - step.begin;
        step.begin = at;
        step.end = at += span;
    }
    return all;
}

Result<Account> explain(const Hardware& hardware, Workload workload, const Flow& flow, std::uint64_t size,
                        const TraceOptions& options) {
    if (workload.pattern != Pattern::pair)
        return fail("one transfer is explained, between two hosts: the pattern has to be pair");
    switch (workload.operation) {
        case Operation::pio_pingpong:
            return fail("a ping-pong is a write there and one back: explain pio-write in both directions");
        case Operation::rdma_write:
        case Operation::rdma_read:
        case Operation::rdma_send:
            return fail("RDMA is stores and software by turns: explain pio-write and doorbell");
        case Operation::trace:
            return fail("a trace is many requests: give it to `ntb-sim run --perfetto FILE`");
        default:
            break;
    }
    workload.transfers = workload.in_flight = 1;
    workload.bytes = size * std::max(1U, workload.warm_up);
    Recorder recorder(cookie_of(0, workload.warm_up));
    std::unique_ptr<Traces> traces;
    Result<void> traced;
    std::optional<Account> account;
    Hooks hooks;
    hooks.begin = [&](pcie::System& system) {
        auto created = Traces::create(options, system);
        if (!created) {
            traced = tl::unexpected(created.error());
            return false;
        }
        traces = std::move(*created);
        traces->observers().add(recorder);
        system.observe(&traces->observers());
        return true;
    };
    hooks.end = [&](pcie::System&) {
        traced = traces->finish();
        traces.reset();
        if (traced) account = recorder.account();
        return traced.has_value();
    };
    try {
        const Outcome outcome = simulate(hardware, workload, {flow}, size, hooks);
        if (!traced) return tl::unexpected(traced.error());
        if (!account) return fail("the transfer did not arrive");
        account->violations = outcome.violations;
        return *account;
    } catch (const std::invalid_argument& error) {
        return fail(error.what());
    }
}

}  // namespace ntblab::sim
