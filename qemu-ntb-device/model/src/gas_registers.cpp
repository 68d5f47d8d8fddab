// SPDX-License-Identifier: MIT
// One register of the GAS: to the part of the chip that it belongs to.
#include "control_registers.h"
#include "dbmsg_registers.h"
#include "events.h"
#include "gas.h"
#include "info.h"
#include "mrpc.h"
#include "pff.h"

namespace switchtec::gas {
namespace {

// The event header at `at`, or null if it is of a partition that does not exist or no header.
const std::uint32_t* event_header(const State& s, const Location& at) {
    switch (at.reg->id) {
        case Reg::GlobalEvent:
            return &s.events[at.index];
        case Reg::PartEvent:
            return at.block_index < s.partition_count ? &s.partition[at.block_index].events[at.index]
                                                      : nullptr;
        case Reg::PffEvent: {
            const unsigned partition = at.block_index / pff::kPerPartition;
            if (partition >= s.partition_count) return nullptr;
            return &s.partition[partition].pff_events[at.block_index % pff::kPerPartition][at.index];
        }
        default:
            return nullptr;
    }
}

std::uint64_t read_switch_events(const State& s, const Location& at) {
    if (at.reg->id == Reg::GlobalReportControl) return s.report_control;
    if (at.reg->id == Reg::GlobalSummary) return events::summary(s.events, kGlobalEvents);
    std::uint64_t partitions = 0;
    for (unsigned p = 0; p < s.partition_count; ++p) {
        if (events::summary(s.partition[p].events, kPartEvents) != 0) partitions |= bit(p);
    }
    return partitions;
}

std::uint64_t read_pff(const State& s, const Location& at) {
    const unsigned partition = at.block_index / pff::kPerPartition;
    if (partition >= s.partition_count) return 0;
    if (at.reg->id == Reg::PffSummary) {
        return events::summary(s.partition[partition].pff_events[at.block_index % pff::kPerPartition],
                               kPffEvents);
    }
    return pff::read_config(s, at.block_index, *at.reg, at.index);
}

}  // namespace

std::uint64_t read_register(const State& s, unsigned partition, const Location& at) {
    if (const std::uint32_t* header = event_header(s, at)) return *header;
    switch (at.block->region) {
        case Region::Mrpc:
            return mrpc::read_register(s, partition, at);
        case Region::TopConfig:
            return info::read_top(s, partition, at);
        case Region::SwitchEvents:
            return read_switch_events(s, at);
        case Region::SysInfo:
            return info::read_system(s, partition, at);
        case Region::FlashInfo:
            return info::read_flash(s, at);
        case Region::PartConfig:
            return info::read_partition_config(s, at);
        case Region::NtbInfo:
            return info::read_ntb(s, partition, at);
        case Region::NtbControl:
            return control::read_register(s, partition, at);
        case Region::Doorbells:
            return at.block_index == partition ? dbmsg::read_register(s, partition, *at.reg, at.index) : 0;
        case Region::Pff:
            return read_pff(s, at);
    }
    return 0;
}

void write_register(State& s, unsigned partition, const Location& at, Written w) {
    if (const std::uint32_t* header = event_header(s, at)) {
        const bool mrpc = at.reg->id == Reg::PartEvent && at.index == kPartEventMrpcComp;
        events::write_header(s, const_cast<std::uint32_t&>(*header), w, mrpc ? at.block_index : kNobody);
        return;
    }
    switch (at.block->region) {
        case Region::Mrpc:
            mrpc::write_register(s, partition, at, w);
            break;
        case Region::SwitchEvents:
            if (at.reg->id == Reg::GlobalReportControl) s.report_control = w.over(s.report_control);
            break;
        case Region::NtbControl:
            control::write_register(s, partition, at, w);
            break;
        case Region::Doorbells:
            if (at.block_index == partition) dbmsg::write_register(s, partition, *at.reg, at.index, w);
            break;
        default:
            break;
    }
}

}  // namespace switchtec::gas
