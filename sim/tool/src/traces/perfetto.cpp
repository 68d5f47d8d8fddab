// SPDX-License-Identifier: MIT
#include "perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ntblab::sim {

using nlohmann::ordered_json;
using pcie::Dllp;
using pcie::Link;
using pcie::Picoseconds;
using pcie::Tlp;

namespace {

constexpr std::array<const char*, 6> kCreditNames = {"PH", "PD", "NPH", "NPD", "CPLH", "CPLD"};
constexpr std::size_t kQueue = kCreditNames.size();

double microseconds(Picoseconds time) {
    return static_cast<double>(time) / 1e6;
}

ordered_json arguments(const Tlp& tlp) {
    ordered_json args = {{"serial", tlp.serial}, {"address", fmt::format("{:#x}", tlp.address)},
                         {"length", tlp.length}, {"requester", fmt::format("{:04x}", tlp.requester)},
                         {"tag", tlp.tag},       {"partition", tlp.partition},
                         {"cookie", tlp.cookie}};
    if (tlp.relaxed_ordering) args["relaxed_ordering"] = true;
    if (tlp.id_ordering) args["id_ordering"] = true;
    if (tlp.cause != 0) args["cause"] = tlp.cause;
    return args;
}

std::string name_of_slice(const Tlp& tlp) {
    return fmt::format("{} {} B", pcie::name_of(tlp), tlp.length);
}

/// The number of the switch that a module belongs to, by its name: that and its own behind it.
std::size_t switch_of(const pcie::System& system, const std::string& module) {
    std::size_t found = 0, length = 0;
    for (std::size_t i = 0; i < system.switches().size(); ++i) {
        const std::string prefix = std::string(system.switches()[i]->basename()) + "_";
        if (module.starts_with(prefix) && prefix.size() > length) {
            found = i;
            length = prefix.size();
        }
    }
    return found;
}

}  // namespace

PerfettoWriter::PerfettoWriter(OutputFile file) : file_(std::move(file)) {
    file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

PerfettoWriter::~PerfettoWriter() = default;

void PerfettoWriter::begin(pcie::System& system) {
    for (const pcie::System::Endpoint& endpoint : system.endpoints()) {
        pcie::System::Host& host = system.host(endpoint.node);
        if (modules_.contains(&host.root)) continue;
        const std::string root = host.root.basename();
        const unsigned process = add_process(fmt::format("host {}", root.substr(0, root.rfind('_'))));
        add_module(host.root, process);
        if (host.cpu) add_module(*host.cpu, process);
    }
    std::vector<unsigned> switches;
    for (const auto& hop : system.switches()) {
        switches.push_back(add_process(fmt::format("switch {}", hop->basename())));
        add_module(*hop, switches.back());
    }
    for (const pcie::System::Endpoint& endpoint : system.endpoints()) {
        const unsigned process = switches.at(switch_of(system, endpoint.ntb->basename()));
        add_module(*endpoint.ntb, process);
        add_module(*endpoint.dma, process);
    }
    for (const auto& link : system.links()) {
        const unsigned process = add_process(fmt::format("link {}", link->basename()));
        for (unsigned side : {0U, 1U}) {
            Direction& direction = links_[link.get()][side];
            direction.name = fmt::format("from{}", side);
            direction.wire = add_track(process, direction.name + " TLPs");
            direction.dllps = add_track(process, direction.name + " DLLPs");
            direction.stalls = add_track(process, direction.name + " stalls");
            direction.credits = link->config().sides[1 - side].credits;
        }
    }
}

unsigned PerfettoWriter::add_process(const std::string& name) {
    const unsigned process = ++processes_;
    write({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
    return process;
}

PerfettoWriter::Track PerfettoWriter::add_track(unsigned process, const std::string& name) {
    constexpr unsigned kFirst = 1000;  // what is also a process' number is its main thread
    const Track track{process, kFirst + threads_++};
    write({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", process},
           {"tid", track.thread},
           {"args", {{"name", name}}}});
    return track;
}

void PerfettoWriter::add_module(const sc_core::sc_module& module, unsigned process) {
    modules_[&module] = {process, module.basename(), {}};
}

PerfettoWriter::Direction* PerfettoWriter::find(const Link& link, unsigned side) {
    const auto found = links_.find(&link);
    return found == links_.end() ? nullptr : &found->second[side];
}

PerfettoWriter::Track& PerfettoWriter::lane(Module& module, Picoseconds begin, Picoseconds end) {
    auto lane = std::ranges::find_if(module.lanes, [&](const Lane& l) { return l.free <= begin; });
    if (lane == module.lanes.end()) {
        const std::string name = fmt::format("{} {}", module.name, module.lanes.size() + 1);
        lane = module.lanes.insert(lane, {add_track(module.process, name), 0});
    }
    lane->free = end;
    return lane->track;
}

void PerfettoWriter::slice(const Track& track, const std::string& name, const char* category,
                           Picoseconds begin, Picoseconds end, ordered_json args) {
    args["begin_ps"] = begin;
    args["end_ps"] = end;
    write({{"ph", "X"},
           {"name", name},
           {"cat", category},
           {"pid", track.process},
           {"tid", track.thread},
           {"ts", microseconds(begin)},
           {"dur", microseconds(end - begin)},
           {"args", std::move(args)}});
}

void PerfettoWriter::flow(const char* phase, std::uint64_t id, const Track& track, Picoseconds at) {
    ordered_json event = {{"ph", phase},          {"name", "way"},       {"cat", "tlp"},          {"id", id},
                          {"pid", track.process}, {"tid", track.thread}, {"ts", microseconds(at)}};
    if (*phase == 'f') event["bp"] = "e";
    write(event);
}

// From slice to slice of a TLP, and to the first one from what it follows from.
void PerfettoWriter::follow(const Tlp& tlp, const Track& track, Picoseconds at) {
    const bool first = under_way_.insert(tlp.serial).second;
    if (first && tlp.cause != 0) flow("f", tlp.cause, track, at);
    flow(first ? "s" : "t", tlp.serial, track, at);
}

void PerfettoWriter::queued(const Link& link, unsigned side, const Tlp& tlp, Picoseconds) {
    Direction* direction = find(link, side);
    if (direction == nullptr) return;
    count(tlp.ready, *direction, kQueue, 1);
    flush(pcie::now());
}

void PerfettoWriter::sent(const Link& link, unsigned side, const Tlp& tlp, const pcie::TlpOnWire& wire) {
    Direction* direction = find(link, side);
    if (direction == nullptr) return;
    ordered_json args = arguments(tlp);
    args["sequence"] = wire.sequence % 4096;
    args["replay"] = wire.again;
    args["corrupt"] = !wire.whole;
    slice(direction->wire, name_of_slice(tlp), "tlp", wire.begin, wire.end, std::move(args));
    follow(tlp, direction->wire, wire.begin);
    if (!wire.again) {
        count(wire.begin, *direction, kQueue, -1);
        const std::size_t header = 2 * pcie::class_index(tlp);
        count(wire.begin, *direction, header, -1);
        count(wire.begin, *direction, header + 1, -static_cast<std::int64_t>(pcie::data_credits(tlp)));
    }
    flush(pcie::now());
}

void PerfettoWriter::sent(const Link& link, unsigned side, const Dllp& dllp, const pcie::DllpOnWire& wire) {
    Direction* direction = find(link, side);
    if (direction == nullptr) return;
    ordered_json args = {{"corrupt", !wire.whole}};
    if (dllp.kind == Dllp::Kind::update_credits) {
        args[kCreditNames[2 * dllp.of_class]] = dllp.freed.header;
        args[kCreditNames[2 * dllp.of_class + 1]] = dllp.freed.data;
        if (wire.whole) {
            Direction& opposite = *find(link, 1 - side);
            count(wire.arrives, opposite, 2 * dllp.of_class, dllp.freed.header);
            count(wire.arrives, opposite, 2 * dllp.of_class + 1, dllp.freed.data);
        }
    } else {
        args["sequence"] = (dllp.sequence + 4095) % 4096;
    }
    slice(direction->dllps, pcie::name_of(dllp.kind), "dllp", wire.begin, wire.end, std::move(args));
    flush(pcie::now());
}

void PerfettoWriter::skipped(const Link& link, unsigned side, Picoseconds begin, Picoseconds end) {
    if (const Direction* direction = find(link, side))
        slice(direction->dllps, "SKP", "skip", begin, end, ordered_json::object());
}

void PerfettoWriter::stalled(const Link& link, unsigned side, pcie::StallCause cause, Picoseconds at) {
    resumed(link, side, at);
    if (Direction* direction = find(link, side)) {
        direction->cause = cause;
        direction->stalled_since = at;
    }
}

void PerfettoWriter::resumed(const Link& link, unsigned side, Picoseconds at) {
    Direction* direction = find(link, side);
    if (direction == nullptr || direction->stalled_since == pcie::kNever) return;
    slice(direction->stalls, pcie::name_of(direction->cause), "stall", direction->stalled_since, at,
          ordered_json::object());
    direction->stalled_since = pcie::kNever;
}

void PerfettoWriter::spent(const sc_core::sc_module& where, const Tlp& tlp, pcie::Part part,
                           Picoseconds begin, Picoseconds end) {
    const auto found = modules_.find(&where);
    // What a transfer spends before it has this TLP would be said again by each of its TLPs.
    if (found == modules_.end() || begin < tlp.created) return;
    const Track& track = lane(found->second, begin, end);
    slice(track, fmt::format("{}: {}", pcie::name_of(part), name_of_slice(tlp)), "tlp", begin, end,
          arguments(tlp));
    follow(tlp, track, begin);
}

void PerfettoWriter::ended(const sc_core::sc_module&, const Tlp& tlp, Picoseconds) {
    under_way_.erase(tlp.serial);
}

void PerfettoWriter::count(Picoseconds at, Direction& direction, std::size_t credit, std::int64_t change) {
    if (change != 0) counts_.add(at, {&direction, credit, change});
}

void PerfettoWriter::flush(Picoseconds until) {
    counts_.take(until, [this](Picoseconds at, const Count& what) {
        Direction& direction = *what.direction;
        ordered_json args;
        if (what.credit == kQueue) {
            args["TLPs"] = direction.queue += what.change;
        } else {
            pcie::CreditPair& pair = direction.credits[what.credit / 2];
            std::uint32_t& left = what.credit % 2 == 0 ? pair.header : pair.data;
            if (left == pcie::kInfiniteCredits) return;
            left += static_cast<std::uint32_t>(what.change);
            args[kCreditNames[what.credit]] = left;
        }
        write({{"ph", "C"},
               {"name", direction.name + (what.credit == kQueue ? " queue" : " credits")},
               {"pid", direction.wire.process},
               {"tid", direction.wire.thread},
               {"ts", microseconds(at)},
               {"args", args}});
    });
}

void PerfettoWriter::write(const ordered_json& event) {
    file_.write((first_ ? "\n" : ",\n") + event.dump());
    first_ = false;
}

Result<void> PerfettoWriter::finish() {
    flush(pcie::kNever);
    file_.write("\n]}\n");
    return file_.finish();
}

}  // namespace ntblab::sim
