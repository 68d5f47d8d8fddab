// SPDX-License-Identifier: MIT
// Requests of hosts, with the time of each, as text:
//
//     at_ps,node,peer,operation,offset,bytes
//     1000,a,b,write,0,64
//     250000,b,a,read,4096,128
//
// Times do not fall. `offset` is in the window to the peer, which begins at its memory address 0 (interrupts
// are at 0xfee00000). A request does not cross 4 KiB; a write has at most an MPS, a read an MRRS.
#pragma once

#include <ntblab/result.h>
#include <topology/topology.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pcie/profile.h"

namespace ntblab::sim {

struct TraceRequest {
    pcie::Picoseconds at = 0;
    std::size_t node = 0, peer = 0;
    bool write = true;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    bool operator==(const TraceRequest&) const = default;
};

/// Errors: not to be read; path:line: what was found, and what was expected.
Result<std::vector<TraceRequest>> load_trace(const std::filesystem::path& path,
                                             const topology::Topology& topology,
                                             const pcie::Profile& profile);

/// As `load_trace`, from text; `path` is what messages call it.
Result<std::vector<TraceRequest>> parse_trace(const std::string& text, const std::string& path,
                                              const topology::Topology& topology,
                                              const pcie::Profile& profile);

/// The file's text.
std::string trace_text(const std::vector<TraceRequest>& requests, const topology::Topology& topology);

}  // namespace ntblab::sim
