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
    NtbConfig ntb;
    DmaConfig dma;
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

/// Reads a profile, by the name of one that is shipped (`directory`/NAME.yaml) or the path of a file. Errors:
/// not to be read; file:line:column with what was found, what was expected and what to do.
Result<Profile> load_profile(const std::string& name, const std::string& directory);
/// As `load_profile`, from text; `path` is what messages call it, `directory` where its `base` is.
Result<Profile> parse_profile(const std::string& text, const std::string& path, const std::string& directory);

}  // namespace ntblab::pcie
