// SPDX-License-Identifier: MIT
#include "mrpc.h"

#include <algorithm>

#include "bytes.h"
#include "events.h"
#include "interrupts.h"
#include "log.h"
#include "mrpc_commands.h"
#include "traffic.h"

namespace switchtec::mrpc {
namespace {

constexpr std::uint32_t kCommandMask = 0xFFFF;  // Above are PAX ids.
constexpr std::uint32_t kDmaEnable = 1;
// Of the host's memory (Linux 6.12 switchtec.h, struct dma_mrpc_output).
constexpr std::uint64_t kDmaDataOffset = 16;
constexpr unsigned kDmaMaxPayload = 512;  // Of the endpoint's device capabilities.

bool answers_by_dma(const Partition& p) {
    return p.config().mrpc_dma_version != 0 && (p.mrpc.dma_enable & kDmaEnable) && p.host.bus_master;
}

std::uint32_t final_status(const Mrpc& m) {
    return m.failed ? kMrpcError : kMrpcDone;
}

void run(State& s, unsigned partition, std::uint32_t command) {
    Partition& p = s.partition[partition];
    Mrpc& m = p.mrpc;
    m.command = command;
    std::ranges::fill(m.output, 0);
    m.result = execute({s, partition, m.input, m.output}, command & kCommandMask);
    m.failed = m.result != 0;
    if (m.failed) {
        std::ranges::fill(m.output, 0);
        log::add(s, log::Event::CommandError, {partition, command & kCommandMask, m.result});
    }
    if (answers_by_dma(p)) {
        m.status = kMrpcInProgress;
        m.dma_number = ++s.order;
        m.dma_taken = 0;
        return;
    }
    m.dma_number = 0;
    m.status = final_status(m);
    events::raise_partition(s, partition, kPartEventMrpcComp);
}

}  // namespace

std::optional<MrpcDma> take_dma(State& s, unsigned partition) {
    Mrpc& m = s.partition[partition].mrpc;
    if (m.dma_number == 0 || m.dma_taken) return std::nullopt;
    m.dma_taken = 1;
    MrpcDma answer{.number = m.dma_number,
                   .address = m.dma_address,
                   .data_address = m.dma_address + kDmaDataOffset,
                   .header = {},
                   .data = {}};
    put(answer.header, 0, final_status(m), 4);
    put(answer.header, 4, m.command & kCommandMask, 4);
    put(answer.header, 8, m.result, 4);
    put(answer.header, 12, m.failed ? 0 : answer.data.size(), 4);
    std::ranges::copy(m.output, answer.data.begin());
    return answer;
}

void dma_done(State& s, unsigned partition, std::uint64_t number) {
    Mrpc& m = s.partition[partition].mrpc;
    if (m.dma_number != number || !m.dma_taken) return;
    traffic::count(s, partition, false, Tlp::Posted, 1 + sizeof(m.output) / kDmaMaxPayload,
                   kDmaDataOffset + sizeof(m.output));
    m.dma_number = 0;
    m.status = final_status(m);
    // Ours: the event is recorded, and its interrupt is the one for DMA alone, whose handler in Linux clears
    // the event (switchtec.c, switchtec_dma_mrpc_isr).
    events::record_partition(s, partition, kPartEventMrpcComp);
    interrupts::raise(s, partition, kMrpcDmaVector);
}

std::uint64_t read_register(const State& s, unsigned partition, const Location& at) {
    const Partition& p = s.partition[partition];
    const Mrpc& m = p.mrpc;
    switch (at.reg->id) {
        case Reg::MrpcInput:
            return m.input[at.index];
        case Reg::MrpcOutput:
            return m.output[at.index];
        case Reg::MrpcCommand:
            return m.command;
        case Reg::MrpcStatus:
            return m.status;
        case Reg::MrpcReturn:
            return m.result;
        case Reg::MrpcDmaEnable:
            return m.dma_enable;
        case Reg::MrpcDmaAddress:
            return m.dma_address;
        case Reg::MrpcDmaVector:
            return p.config().mrpc_dma_version != 0 ? kMrpcDmaVector : 0;
        case Reg::MrpcDmaVersion:
            return p.config().mrpc_dma_version;
        default:
            return 0;
    }
}

void write_register(State& s, unsigned partition, const Location& at, Written w) {
    Partition& p = s.partition[partition];
    Mrpc& m = p.mrpc;
    switch (at.reg->id) {
        case Reg::MrpcInput:
            m.input[at.index] = w.over(m.input[at.index]);
            break;
        case Reg::MrpcCommand:
            if (w.covers_byte_0()) run(s, partition, w.over(m.command));
            break;
        case Reg::MrpcDmaEnable:
            if (p.config().mrpc_dma_version != 0) m.dma_enable = w.over(m.dma_enable) & kDmaEnable;
            break;
        case Reg::MrpcDmaAddress:
            if (p.config().mrpc_dma_version != 0) m.dma_address = w.over(m.dma_address);
            break;
        default:
            break;
    }
}

}  // namespace switchtec::mrpc
