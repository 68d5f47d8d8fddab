// SPDX-License-Identifier: MIT
// The state of a switch as a JSON value: what its registers show, and what only the fabric knows.
// docs/protocol.md lists the fields.
#include <fmt/format.h>
#include <switchtec/registers.h>

#include <array>
#include <nlohmann/json.hpp>

#include "switch.h"

namespace fabric {

namespace {

using nlohmann::json;
using switchtec::Chip;
using switchtec::Reg;

constexpr unsigned kMessages = 4;

const char* state_name(std::uint64_t state) {
    switch (state) {
        case switchtec::kNormal:
            return "NORMAL";
        case switchtec::kLocked:
            return "LOCKED";
        case switchtec::kLocking:
            return "LOCKING";
        case switchtec::kConfiguring:
            return "CONFIGURING";
        case switchtec::kResetting:
            return "RESETTING";
        default:
            return "?";
    }
}

std::uint64_t reg(Chip& chip, unsigned viewer, Reg id, unsigned block, unsigned size, unsigned index = 0) {
    return chip.read(viewer, switchtec::offset_of(id, block, index), size);
}

// The control block of `partition`: its status differs by who asks, so all are asked.
json control(Chip& chip, unsigned partition) {
    json block{{"state", "NORMAL"}, {"owner", nullptr}, {"waiting", json::array()}};
    for (unsigned viewer = 0; viewer < chip.partitions(); ++viewer) {
        const auto status = reg(chip, viewer, Reg::NtbPartitionStatus, partition, 4) & 0xFFFF;
        if (status == switchtec::kLocking) {
            block["waiting"].push_back(viewer);
        } else if (status != switchtec::kNormal) {
            block["state"] = state_name(status);
            block["owner"] = viewer;
        }
    }
    block["bar_error"] = reg(chip, partition, Reg::NtbBarError, partition, 4);
    block["lut_error"] = reg(chip, partition, Reg::NtbLutError, partition, 4);
    block["requester_id_error"] = reg(chip, partition, Reg::NtbRequesterError, partition, 4);
    return block;
}

json windows(Chip& chip, unsigned partition) {
    json list = json::array();
    for (const auto& window : chip.windows(partition)) {
        list.push_back({{"bar", window.bar},
                        {"offset", window.offset},
                        {"size", window.size},
                        {"target", window.target},
                        {"address", window.address}});
    }
    return list;
}

json passed(Chip& chip, unsigned partition, bool from_host) {
    using switchtec::Tlp;
    json classes;
    for (const auto& [name, tlp] : {std::pair{"posted", Tlp::Posted}, std::pair{"non_posted", Tlp::NonPosted},
                                    std::pair{"completions", Tlp::Completion}}) {
        const auto count = chip.passed(partition, from_host, tlp);
        classes[name] = {{"tlps", count.tlps}, {"bytes", count.payload}};
    }
    return classes;
}

// A mask of 64 bits: as a number, readers that keep numbers as doubles would lose some of it.
std::string mask(std::uint64_t bits) {
    return fmt::format("{:#018x}", bits);
}

json requester_ids(Chip& chip, unsigned partition) {
    json list = json::array();
    const auto entries = chip.config(partition).requester_ids;
    for (unsigned i = 0; i < entries; ++i) {
        const auto entry = reg(chip, partition, Reg::NtbRequesterEntry, partition, 4, i);
        if ((entry & switchtec::kRequesterValid) == 0) continue;
        const auto requester_id = static_cast<std::uint16_t>(entry >> 16);
        list.push_back(
            {{"entry", i}, {"requester_id", requester_id}, {"proxy", chip.proxy(partition, requester_id)}});
    }
    return list;
}

json refused(Chip& chip, unsigned partition) {
    const auto refused = chip.refused(partition);
    return {{"requests", refused.requests}, {"requester_id", refused.requester_id}};
}

json doorbells(Chip& chip, unsigned partition) {
    return {{"pending", mask(reg(chip, partition, Reg::InDoorbell, partition, 8))},
            {"mask", mask(reg(chip, partition, Reg::InDoorbellMask, partition, 8))},
            {"outbound_mask", mask(reg(chip, partition, Reg::OutDoorbellMask, partition, 8))}};
}

json messages(Chip& chip, unsigned partition) {
    json list = json::array();
    for (unsigned i = 0; i < kMessages; ++i) {
        list.push_back({{"value", reg(chip, partition, Reg::InMessage, partition, 4, i)},
                        {"pending", (reg(chip, partition, Reg::InMessageStatus, partition, 1, i) & 1) != 0},
                        {"enabled", (reg(chip, partition, Reg::InMessageMask, partition, 1, i) & 1) != 0},
                        {"source", reg(chip, partition, Reg::InMessageSource, partition, 1, i)}});
    }
    return list;
}

json ram(const RamShares& shares, unsigned owner, unsigned partitions) {
    json all = json::array();
    const ntblink::RamTable* before = nullptr;
    for (unsigned viewer = 0; viewer < partitions; ++viewer) {
        const ntblink::RamTable& table = *shares.share(owner, viewer).table;
        if (viewer == owner || table.ranges().empty()) continue;
        if (&table == before) {
            all.back()["viewers"].push_back(viewer);
            continue;
        }
        before = &table;
        json ranges = json::array();
        for (const auto& range : table.ranges()) {
            ranges.push_back({{"address", range.address}, {"size", range.size}});
        }
        all.push_back({{"viewers", {viewer}}, {"ranges", ranges}});
    }
    return all;
}

json endpoint(switchtec::Function function) {
    switch (function) {
        case switchtec::Function::Nt:
            return "nt";
        case switchtec::Function::Management:
            return "management";
        default:
            return nullptr;
    }
}

}  // namespace

json Switch::inspect() {
    auto guard = shared_.lock();
    Chip& chip = guard.chip();
    json document{{"name", name()},
                  {"vendor_id", chip.vendor_id()},
                  {"device_id", chip.device_id()},
                  {"partitions", json::array()}};
    for (unsigned partition = 0; partition < partitions(); ++partition) {
        const auto& config = chip.config(partition);
        const bool attached = chip.attached(partition);
        const auto& slot = shared_.slot(partition);
        document["partitions"].push_back({
            {"partition", partition},
            {"node", config_.nodes[partition].empty() ? json() : json(config_.nodes[partition])},
            {"endpoint", endpoint(config.function)},
            {"attached", attached},
            {"pid", holder(partition) != nullptr ? json(holder(partition)->pid) : json()},
            {"bus_master", chip.bus_master(partition)},
            {"requester_id", reg(chip, partition, Reg::NtbRequesterId, 0, 2)},
            {"requester_ids", requester_ids(chip, partition)},
            {"refused", refused(chip, partition)},
            {"link",
             {{"up", attached}, {"generation", config.link_generation}, {"width", config.link_width}}},
            {"bar2_size", config.bar2_size},
            {"bar4_size", config.bar4_size},
            {"lut_entries", config.lut_entries},
            {"vectors", config.vectors},
            {"control", control(chip, partition)},
            {"windows", windows(chip, partition)},
            {"windows_settled", chip.windows_settled(partition)},
            {"doorbells", doorbells(chip, partition)},
            {"messages", messages(chip, partition)},
            {"traffic",
             {{"from_host", passed(chip, partition, true)}, {"to_host", passed(chip, partition, false)}}},
            {"window_read_misses", slot.read_misses.load(std::memory_order_relaxed)},
            {"window_write_misses", slot.write_misses.load(std::memory_order_relaxed)},
            {"ram", ram(ram_, partition, partitions())},
        });
    }
    return document;
}

}  // namespace fabric
