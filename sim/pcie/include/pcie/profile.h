// SPDX-License-Identifier: MIT
// What hardware a path is made of: hosts, links, switches or adapters, and their DMA engines. Profiles are data
// (sim/pcie/profiles/*.yaml), where each parameter says where its value comes from.
//
//     auto profile = load_profile("switchtec-gen4x16");
//     if (!profile) { std::cerr << profile.error().message << '\n'; return 1; }   // file:line:column: what and why
#pragma once

#include <ntblab/result.h>

#include <string>
#include <vector>

#include "pcie/cpu.h"
#include "pcie/dma_engine.h"
#include "pcie/link.h"
#include "pcie/ntb.h"
#include "pcie/root_complex.h"
#include "pcie/switch.h"

namespace ntblab::pcie {

/// A link's cable or traces.
struct Medium {
    double metres = 0.3;
    Picoseconds per_metre = 5000;        ///< Of signal propagation.
    unsigned retimers = 0;
    Picoseconds retimer = nanoseconds(10);

    Picoseconds propagation() const {
        return static_cast<Picoseconds>(metres * static_cast<double>(per_metre) + 0.5) + retimers * retimer;
    }
};

struct Profile {
    /// What is between two hosts' links: a switch with the NTBs in it, or an adapter at each host, joined by a cable.
    enum class Fabric : std::uint8_t { switched, adapters };

    /// A parameter as the file has it.
    struct Source {
        std::string parameter;  ///< "host.ingress"
        std::string status;     ///< "published", "fitted", "assumed"
        std::string source;
    };

    std::string name;
    std::string description;
    Fabric fabric = Fabric::switched;
    /// Of the links if the topology does not say; cables between adapters always.
    unsigned generation = 4, lanes = 16;
    unsigned mps = 256, mrrs = 512;
    RootComplexConfig host;
    CpuConfig cpu;
    LinkSide host_side;                  ///< Of a host's link.
    LinkSide fabric_side;                ///< Switch or adapter, of all their links.
    Medium host_medium;
    Medium cable;                        ///< Between adapters.
    double bit_error_rate = 0;
    SwitchConfig hop;                    ///< A switch, or an adapter.
    NtbConfig ntb;
    DmaConfig dma;
    std::vector<Source> sources;
};

}  // namespace ntblab::pcie
