// SPDX-License-Identifier: MIT
// What hardware a path is made of: hosts, links, switches or adapters, and their DMA engines. Profiles are
// data (sim/pcie/profiles/*.yaml), where each parameter says where its value comes from.
//
//     auto profile = load_profile("switchtec-gen4x16", "share/ntblab/profiles");
//     if (!profile) { std::cerr << profile.error().message << '\n'; return 1; }   // file:line:column: what
//     and why
#pragma once

#include <ntblab/result.h>

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
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
    Picoseconds per_metre = 5000;  ///< Of signal propagation.
    unsigned retimers = 0;
    Picoseconds retimer = nanoseconds(10);

    Picoseconds propagation() const {
        return static_cast<Picoseconds>(std::llround(metres * static_cast<double>(per_metre))) +
               retimers * retimer;
    }
};

/// What RoPCIe's software costs a CPU (docs/ropcie.md).
struct RdmaConfig {
    Picoseconds post = nanoseconds(400);        ///< From the program's request to the first packet.
    Picoseconds packet = nanoseconds(200);      ///< A packet, at either end, beside its bytes.
    double copy_rate = 8;                       ///< Of a packet out of the ring, bytes a nanosecond.
    Picoseconds completion = nanoseconds(300);  ///< From there to the program, which polls.

    Picoseconds copy(std::uint64_t bytes) const {
        return static_cast<Picoseconds>(std::llround(1000 * static_cast<double>(bytes) / copy_rate));
    }
};

struct Profile {
    /// What is between two hosts' links: a switch with the NTBs in it, or an adapter at each host, joined by
    /// a cable.
    enum class Fabric : std::uint8_t { switched, adapters };

    /// Where a parameter's value comes from.
    struct Source {
        std::string status;  ///< "published", "fitted" or "assumed"
        std::string source;
    };

    std::string name;
    std::string description;
    Fabric fabric = Fabric::switched;
    /// Of cables between adapters; the topology has those of hosts' links.
    unsigned generation = 4, lanes = 16;
    unsigned mps = 256, mrrs = 512;
    RootComplexConfig host;
    Picoseconds message = 0;  ///< Kernels' work for a message, at both ends. No module has it.
    CpuConfig cpu;
    LinkSide host_side;    ///< Of a host's link.
    LinkSide fabric_side;  ///< Switch or adapter, of all their links.
    Medium host_medium;
    Medium cable;  ///< Between adapters.
    double bit_error_rate = 0;
    SwitchConfig hop;  ///< A switch, or an adapter.
    /// TLPs that what came in at such a port may send in its turn (EgressQueue): of a host, an engine, a
    /// cable.
    unsigned host_weight = 1, dma_weight = 1, cable_weight = 1;
    std::vector<unsigned> port_weights;  ///< By partition, of its host's and its engine's, in place of these.
    NtbConfig ntb;
    DmaConfig dma;
    RdmaConfig rdma;
    std::map<std::string, Source> sources;  ///< By the parameter's name.
};

/// One parameter of a profile: what the files call it, and where it goes.
struct Parameter {
    std::string_view name;  ///< "host.ingress"
    std::string_view unit;  ///< "ns", "bytes", "m", "" for counts
    double least, most;
    double (*get)(const Profile& profile);
    void (*set)(Profile& profile, double value);
    std::string_view meaning;
    bool may_be_infinite = false;  ///< Then infinity stands for that.
};

/// All of them.
std::span<const Parameter> parameters();
/// Null if there is none of this name.
const Parameter* find_parameter(std::string_view name);

/// Why `value`, which is in the parameter's range, is none of its values; empty if it is one.
std::string refusal(const Parameter& parameter, double value);

/// Requests that a requester may have under way, at most: of 8 bits, from Gen4 on 10, of Gen6 14.
unsigned most_tags(unsigned generation);

/// Parameters that are right each by itself, but not together.
struct Conflict {
    std::vector<std::string_view> parameters;  ///< That are to be changed, the likeliest first.
    std::string message;                       ///< What they are, what is expected.
};
/// All of a profile. Without one, System takes it for every topology.
std::vector<Conflict> conflicts(const Profile& profile);

/// Reads a profile, by the name of one that is shipped (`directory`/NAME.yaml) or the path of a file. Errors:
/// not to be read; file:line:column with what was found, what was expected and what to do.
Result<Profile> load_profile(const std::string& name, const std::string& directory);
/// As `load_profile`, from text; `path` is what messages call it, `directory` where its `base` is.
Result<Profile> parse_profile(const std::string& text, const std::string& path, const std::string& directory);

}  // namespace ntblab::pcie
