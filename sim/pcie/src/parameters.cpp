// SPDX-License-Identifier: MIT
// The parameters of profiles: names, units, ranges, meaning.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pcie/profile.h"

namespace ntblab::pcie {
namespace {

using P = Profile;

double to_ns(Picoseconds time) {
    return static_cast<double>(time) / 1000;
}
Picoseconds from_ns(double time) {
    return static_cast<Picoseconds>(std::llround(time * 1000));
}

double from_credits(std::uint32_t credits) {
    return credits == kInfiniteCredits ? std::numeric_limits<double>::infinity() : credits;
}
std::uint32_t to_credits(double credits) {
    return std::isinf(credits) ? kInfiniteCredits : static_cast<std::uint32_t>(credits);
}

constexpr Parameter kParameters[] = {
    {"link.generation", "", 1, 6, [](const P& p) -> double { return p.generation; },
     [](P& p, double v) { p.generation = static_cast<unsigned>(v); },
     "PCIe generation of links that the topology does not describe: cables between adapters"},
    {"link.lanes", "", 1, 16, [](const P& p) -> double { return p.lanes; },
     [](P& p, double v) { p.lanes = static_cast<unsigned>(v); }, "their lanes"},
    {"link.mps", "bytes", 128, 4096, [](const P& p) -> double { return p.mps; },
     [](P& p, double v) { p.mps = static_cast<unsigned>(v); }, "maximum payload size"},
    {"link.mrrs", "bytes", 128, 4096, [](const P& p) -> double { return p.mrrs; },
     [](P& p, double v) { p.mrrs = static_cast<unsigned>(v); }, "maximum read request size of DMA engines"},
    {"link.bit-error-rate", "", 0, 0.001, [](const P& p) -> double { return p.bit_error_rate; },
     [](P& p, double v) { p.bit_error_rate = v; }, "of every link"},
    {"link.metres", "m", 0, 1000, [](const P& p) -> double { return p.host_medium.metres; },
     [](P& p, double v) { p.host_medium.metres = v; }, "length of a host's link"},
    {"link.retimers", "", 0, 8, [](const P& p) -> double { return p.host_medium.retimers; },
     [](P& p, double v) { p.host_medium.retimers = static_cast<unsigned>(v); }, "on a host's link"},
    {"cable.metres", "m", 0, 1000, [](const P& p) -> double { return p.cable.metres; },
     [](P& p, double v) { p.cable.metres = v; }, "length of a cable between adapters"},
    {"cable.retimers", "", 0, 8, [](const P& p) -> double { return p.cable.retimers; },
     [](P& p, double v) { p.cable.retimers = static_cast<unsigned>(v); }, "on such a cable"},
    {"medium.propagation", "ns", 0, 100, [](const P& p) -> double { return to_ns(p.host_medium.per_metre); },
     [](P& p, double v) { p.host_medium.per_metre = p.cable.per_metre = from_ns(v); },
     "of a signal, for a metre"},
    {"medium.retimer", "ns", 0, 1000, [](const P& p) -> double { return to_ns(p.host_medium.retimer); },
     [](P& p, double v) { p.host_medium.retimer = p.cable.retimer = from_ns(v); }, "latency of a retimer"},
    {"host.posted-headers", "", 1, 4096,
     [](const P& p) -> double { return from_credits(p.host_side.credits[0].header); },
     [](P& p, double v) { p.host_side.credits[0].header = to_credits(v); },
     "posted header credits that a host advertises", true},
    {"host.posted-data", "", 1, 65535,
     [](const P& p) -> double { return from_credits(p.host_side.credits[0].data); },
     [](P& p, double v) { p.host_side.credits[0].data = to_credits(v); },
     "posted data credits, of 16 bytes each", true},
    {"host.non-posted-headers", "", 1, 4096,
     [](const P& p) -> double { return from_credits(p.host_side.credits[1].header); },
     [](P& p, double v) { p.host_side.credits[1].header = to_credits(v); },
     "non-posted header credits that a host advertises", true},
    {"host.non-posted-data", "", 1, 65535,
     [](const P& p) -> double { return from_credits(p.host_side.credits[1].data); },
     [](P& p, double v) { p.host_side.credits[1].data = to_credits(v); },
     "non-posted data credits, of 16 bytes each", true},
    {"host.completion-headers", "", 1, 4096,
     [](const P& p) -> double { return from_credits(p.host_side.credits[2].header); },
     [](P& p, double v) { p.host_side.credits[2].header = to_credits(v); },
     "completion header credits that a host advertises", true},
    {"host.completion-data", "", 1, 65535,
     [](const P& p) -> double { return from_credits(p.host_side.credits[2].data); },
     [](P& p, double v) { p.host_side.credits[2].data = to_credits(v); },
     "completion data credits, of 16 bytes each", true},
    {"host.replay-buffer", "bytes", 256, 16777216,
     [](const P& p) -> double { return p.host_side.replay_buffer; },
     [](P& p, double v) { p.host_side.replay_buffer = static_cast<unsigned>(v); },
     "TLPs of a host that are not acknowledged"},
    {"host.transmit", "ns", 0, 1000, [](const P& p) -> double { return to_ns(p.host_side.transmit_delay); },
     [](P& p, double v) { p.host_side.transmit_delay = from_ns(v); },
     "from the transaction layer of a host to the wire"},
    {"host.receive", "ns", 0, 1000, [](const P& p) -> double { return to_ns(p.host_side.receive_delay); },
     [](P& p, double v) { p.host_side.receive_delay = from_ns(v); }, "and back"},
    {"fabric.posted-headers", "", 1, 4096,
     [](const P& p) -> double { return from_credits(p.fabric_side.credits[0].header); },
     [](P& p, double v) { p.fabric_side.credits[0].header = to_credits(v); },
     "posted header credits that a switch or an adapter advertises", true},
    {"fabric.posted-data", "", 1, 65535,
     [](const P& p) -> double { return from_credits(p.fabric_side.credits[0].data); },
     [](P& p, double v) { p.fabric_side.credits[0].data = to_credits(v); },
     "posted data credits, of 16 bytes each", true},
    {"fabric.non-posted-headers", "", 1, 4096,
     [](const P& p) -> double { return from_credits(p.fabric_side.credits[1].header); },
     [](P& p, double v) { p.fabric_side.credits[1].header = to_credits(v); },
     "non-posted header credits that a switch or an adapter advertises", true},
    {"fabric.non-posted-data", "", 1, 65535,
     [](const P& p) -> double { return from_credits(p.fabric_side.credits[1].data); },
     [](P& p, double v) { p.fabric_side.credits[1].data = to_credits(v); },
     "non-posted data credits, of 16 bytes each", true},
    {"fabric.completion-headers", "", 1, 4096,
     [](const P& p) -> double { return from_credits(p.fabric_side.credits[2].header); },
     [](P& p, double v) { p.fabric_side.credits[2].header = to_credits(v); },
     "completion header credits that a switch or an adapter advertises", true},
    {"fabric.completion-data", "", 1, 65535,
     [](const P& p) -> double { return from_credits(p.fabric_side.credits[2].data); },
     [](P& p, double v) { p.fabric_side.credits[2].data = to_credits(v); },
     "completion data credits, of 16 bytes each", true},
    {"fabric.replay-buffer", "bytes", 256, 16777216,
     [](const P& p) -> double { return p.fabric_side.replay_buffer; },
     [](P& p, double v) { p.fabric_side.replay_buffer = static_cast<unsigned>(v); },
     "TLPs of a switch or an adapter that are not acknowledged"},
    {"fabric.transmit", "ns", 0, 1000,
     [](const P& p) -> double { return to_ns(p.fabric_side.transmit_delay); },
     [](P& p, double v) { p.fabric_side.transmit_delay = from_ns(v); },
     "from the transaction layer of a switch or an adapter to the wire"},
    {"fabric.receive", "ns", 0, 1000, [](const P& p) -> double { return to_ns(p.fabric_side.receive_delay); },
     [](P& p, double v) { p.fabric_side.receive_delay = from_ns(v); }, "and back"},
    {"host.egress", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.host.egress); },
     [](P& p, double v) { p.host.egress = from_ns(v); }, "from the CPU to the root port"},
    {"host.ingress", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.host.ingress); },
     [](P& p, double v) { p.host.ingress = from_ns(v); }, "from the root port to memory or CPU"},
    {"host.read", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.host.read); },
     [](P& p, double v) { p.host.read = from_ns(v); }, "of memory whose line is in a cache"},
    {"host.uncached", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.host.uncached); },
     [](P& p, double v) { p.host.uncached = from_ns(v); }, "more, if it is in none"},
    {"host.write", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.host.write); },
     [](P& p, double v) { p.host.write = from_ns(v); }, "until a CPU sees what was written"},
    {"host.remote", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.host.remote); },
     [](P& p, double v) { p.host.remote = from_ns(v); }, "more, if the memory is another socket's"},
    {"host.interrupt", "ns", 0, 100000, [](const P& p) -> double { return to_ns(p.host.interrupt); },
     [](P& p, double v) { p.host.interrupt = from_ns(v); }, "from the write that signals it to the handler"},
    {"host.message", "ns", 0, 1000000, [](const P& p) -> double { return to_ns(p.message); },
     [](P& p, double v) { p.message = from_ns(v); },
     "kernels' work for a message, at both ends, beside the interrupt; no part of a run"},
    {"host.reads", "", 1, 4096, [](const P& p) -> double { return p.host.reads; },
     [](P& p, double v) { p.host.reads = static_cast<unsigned>(v); }, "reads in service at the same time"},
    {"host.rcb", "bytes", 64, 128, [](const P& p) -> double { return p.host.rcb; },
     [](P& p, double v) { p.host.rcb = static_cast<unsigned>(v); }, "read completion boundary"},
    {"host.split-at-every-rcb", "", 0, 1,
     [](const P& p) -> double { return p.host.split_at_every_rcb ? 1 : 0; },
     [](P& p, double v) { p.host.split_at_every_rcb = v != 0; }, "1: completions of one RCB each"},
    {"iommu.entries", "", 0, 65536, [](const P& p) -> double { return p.host.iommu.entries; },
     [](P& p, double v) { p.host.iommu.entries = static_cast<unsigned>(v); },
     "pages of the IOTLB of nodes that have an IOMMU; 0: they have none either"},
    {"iommu.page", "bytes", 4096, 1073741824,
     [](const P& p) -> double { return static_cast<double>(p.host.iommu.page); },
     [](P& p, double v) { p.host.iommu.page = static_cast<std::uint64_t>(v); }, "of a translation"},
    {"iommu.miss", "ns", 0, 100000, [](const P& p) -> double { return to_ns(p.host.iommu.miss); },
     [](P& p, double v) { p.host.iommu.miss = from_ns(v); }, "a walk of the tables"},
    {"iommu.walkers", "", 1, 1024, [](const P& p) -> double { return p.host.iommu.walkers; },
     [](P& p, double v) { p.host.iommu.walkers = static_cast<unsigned>(v); }, "walks at the same time"},
    {"cpu.line", "bytes", 8, 256, [](const P& p) -> double { return p.cpu.line; },
     [](P& p, double v) { p.cpu.line = static_cast<unsigned>(v); }, "of a write-combining buffer"},
    {"cpu.buffers", "", 1, 256, [](const P& p) -> double { return p.cpu.buffers; },
     [](P& p, double v) { p.cpu.buffers = static_cast<unsigned>(v); }, "for stores that have not left"},
    {"cpu.line-interval", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.cpu.line_interval); },
     [](P& p, double v) { p.cpu.line_interval = from_ns(v); }, "between lines that leave"},
    {"cpu.store-interval", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.cpu.store_interval); },
     [](P& p, double v) { p.cpu.store_interval = from_ns(v); }, "between uncached stores"},
    {"cpu.store-bytes", "bytes", 1, 64, [](const P& p) -> double { return p.cpu.store_bytes; },
     [](P& p, double v) { p.cpu.store_bytes = static_cast<unsigned>(v); }, "of an uncached store or load"},
    {"cpu.issue", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.cpu.issue); },
     [](P& p, double v) { p.cpu.issue = from_ns(v); }, "from the instruction to the root complex"},
    {"cpu.fence", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.cpu.fence); },
     [](P& p, double v) { p.cpu.fence = from_ns(v); }, "after the last store of an access"},
    {"cpu.load", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.cpu.load); },
     [](P& p, double v) { p.cpu.load = from_ns(v); }, "from a load's data to the next instruction"},
    {"hop.latency", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.hop.latency); },
     [](P& p, double v) { p.hop.latency = from_ns(v); }, "of a switch, or an adapter, cut-through"},
    {"hop.store-and-forward", "", 0, 1,
     [](const P& p) -> double {
         return p.hop.forwarding == SwitchConfig::Forwarding::store_and_forward ? 1 : 0;
     },
     [](P& p, double v) {
         p.hop.forwarding =
             v != 0 ? SwitchConfig::Forwarding::store_and_forward : SwitchConfig::Forwarding::cut_through;
     },
     "1: the whole TLP is there before it goes on"},
    {"hop.shared-queues", "", 0, 1,
     [](const P& p) -> double { return p.hop.queueing == SwitchConfig::Queueing::shared ? 1 : 0; },
     [](P& p, double v) {
         p.hop.queueing = v != 0 ? SwitchConfig::Queueing::shared : SwitchConfig::Queueing::per_egress;
     },
     "1: one queue for each class of an ingress port, with head-of-line blocking"},
    {"ntb.translation", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.ntb.translation); },
     [](P& p, double v) { p.ntb.translation = from_ns(v); }, "of address and requester ID"},
    {"ntb.requester-ids", "", 1, 256, [](const P& p) -> double { return p.ntb.requester_ids; },
     [](P& p, double v) { p.ntb.requester_ids = static_cast<unsigned>(v); },
     "entries of the requester ID table"},
    {"dma.start", "ns", 0, 1000000, [](const P& p) -> double { return to_ns(p.dma.start); },
     [](P& p, double v) { p.dma.start = from_ns(v); }, "from the request to the first fetch of a descriptor"},
    {"dma.descriptor", "bytes", 0, 4096, [](const P& p) -> double { return p.dma.descriptor; },
     [](P& p, double v) { p.dma.descriptor = static_cast<unsigned>(v); },
     "that are fetched before a transfer; 0: it is handed over"},
    {"dma.completion", "bytes", 0, 4096, [](const P& p) -> double { return p.dma.completion; },
     [](P& p, double v) { p.dma.completion = static_cast<unsigned>(v); },
     "of the entry that is written after it; 0: none"},
    {"dma.interrupt", "", 0, 1, [](const P& p) -> double { return p.dma.interrupt ? 1 : 0; },
     [](P& p, double v) { p.dma.interrupt = v != 0; }, "1: and then an interrupt"},
    {"dma.issue-interval", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.dma.issue_interval); },
     [](P& p, double v) { p.dma.issue_interval = from_ns(v); }, "from a write to the next request, at least"},
    {"dma.read-interval", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.dma.read_interval); },
     [](P& p, double v) { p.dma.read_interval = from_ns(v); }, "from a read to the next request, at least"},
    {"dma.rate", "GB/s", 0.01, 1000, [](const P& p) -> double { return p.dma.rate; },
     [](P& p, double v) { p.dma.rate = v; },
     "that pass through the engine, TLPs' headers among them (16 bytes of a write, 12 of a completion)",
     true},
    {"dma.gap", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.dma.gap); },
     [](P& p, double v) { p.dma.gap = from_ns(v); }, "in which nothing passes, after a transfer"},
    {"dma.tags", "", 1, 1024, [](const P& p) -> double { return p.dma.tags; },
     [](P& p, double v) { p.dma.tags = static_cast<unsigned>(v); }, "reads under way"},
    {"dma.turnaround", "ns", 0, 10000, [](const P& p) -> double { return to_ns(p.dma.turnaround); },
     [](P& p, double v) { p.dma.turnaround = from_ns(v); }, "from data that was read to the write of it"},
};

}  // namespace

std::span<const Parameter> parameters() {
    return kParameters;
}

const Parameter* find_parameter(std::string_view name) {
    const auto* found = std::ranges::find(kParameters, name, &Parameter::name);
    return found == std::end(kParameters) ? nullptr : found;
}

}  // namespace ntblab::pcie
