// SPDX-License-Identifier: MIT
#include "pcie/observer.h"

namespace ntblab::pcie {

const char* name_of(Part part) {
    switch (part) {
        case Part::earlier_accesses:
            return "earlier accesses";
        case Part::store_buffer:
            return "store buffers in use";
        case Part::issue:
            return "issue";
        case Part::load:
            return "load";
        case Part::egress:
            return "egress";
        case Part::ingress:
            return "ingress";
        case Part::iommu:
            return "IOMMU";
        case Part::ordering:
            return "writes before it";
        case Part::read_slot:
            return "reads before it";
        case Part::memory_read:
            return "memory read";
        case Part::memory_write:
            return "memory write";
        case Part::interrupt:
            return "interrupt";
        case Part::translation:
            return "NTB";
        case Part::store_and_forward:
            return "store-and-forward";
        case Part::slower_ingress:
            return "slower ingress";
        case Part::hop:
            return "hop";
        case Part::dma_start:
            return "DMA start";
        case Part::earlier_requests:
            return "earlier requests";
        case Part::dma_tag:
            return "tags in use";
        case Part::dma_queue:
            return "requests before it";
        case Part::ethernet_queue:
            return "Ethernet queue";
        case Part::ethernet_wire:
            return "Ethernet frames";
        case Part::ethernet_latency:
            return "Ethernet latency";
        case Part::retransmission:
            return "retransmission";
        case Part::dma_turnaround:
            return "DMA turnaround";
    }
    return "?";
}

const char* name_of(StallCause cause) {
    switch (cause) {
        case StallCause::posted_header:
            return "PH";
        case StallCause::posted_data:
            return "PD";
        case StallCause::non_posted_header:
            return "NPH";
        case StallCause::non_posted_data:
            return "NPD";
        case StallCause::completion_header:
            return "CPLH";
        case StallCause::completion_data:
            return "CPLD";
        case StallCause::replay_buffer:
            return "replay buffer";
    }
    return "?";
}

const char* name_of(Dllp::Kind kind) {
    switch (kind) {
        case Dllp::Kind::acknowledge:
            return "Ack";
        case Dllp::Kind::reject:
            return "Nak";
        case Dllp::Kind::update_credits:
            return "UpdateFC";
    }
    return "?";
}

}  // namespace ntblab::pcie
