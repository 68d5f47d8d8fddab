// SPDX-License-Identifier: MIT
#include "traffic.h"

#include <stdexcept>

namespace ntblab::sim {

std::unique_ptr<Traffic> make_traffic(const Parts& parts, const Flow& flow, std::size_t index,
                                      const Workload& workload, TrafficListener& listener) {
    if (parts.system.endpoint(flow.from, flow.to) == nullptr)
        throw std::invalid_argument("no NT pair joins the nodes of a flow");
    switch (workload.operation) {
        case Operation::pio_write:
        case Operation::pio_read:
        case Operation::pio_pingpong:
        case Operation::doorbell:
            return make_pio(parts, flow, index, workload, listener);
        case Operation::dma_write:
        case Operation::dma_read:
        case Operation::device_write:
        case Operation::device_read:
            return make_dma(parts, flow, index, workload, listener);
        case Operation::rdma_write:
        case Operation::rdma_read:
        case Operation::rdma_send:
            return make_rdma(parts, flow, index, workload, listener);
        case Operation::trace:
            break;
    }
    throw std::invalid_argument("a trace is replayed by itself (replay.h)");
}

}  // namespace ntblab::sim
