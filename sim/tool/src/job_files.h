// SPDX-License-Identifier: MIT
// The files that jobs name, read: each once, however many jobs name it.
//
//     JobFiles files;
//     const auto topology = files.topology("pair.yaml");
//     if (!topology) return complain(topology.error().message, kUsage);
//     use((*topology)->nodes);
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "pcie/profile.h"
#include "trace_file.h"
#include "workload.h"

namespace ntblab::sim {

class JobFiles {
  public:
    /// By path; a profile or workload also by the name of one that is shipped. Errors: as of load(),
    /// load_profile(), load_workload(), load_trace().
    Result<const topology::Topology*> topology(const std::string& path);
    Result<const pcie::Profile*> profile(const std::string& name);
    Result<const Workload*> workload(const std::string& name);
    /// What may be in it depends on the topology, of this path, and on the profile.
    Result<const std::vector<TraceRequest>*> trace(const std::filesystem::path& path,
                                                   const std::string& topology, const pcie::Profile& profile);

    /// Whether hardware of these can be made at all. Errors: why not.
    Result<void> try_out(const std::string& topology, const std::string& profile);

  private:
    std::map<std::string, Result<topology::Topology>> topologies_;
    std::map<std::string, Result<pcie::Profile>> profiles_;
    std::map<std::string, Result<Workload>> workloads_;
    /// By path, topology, MPS and MRRS.
    std::map<std::tuple<std::string, std::string, unsigned, unsigned>, Result<std::vector<TraceRequest>>>
        traces_;
    std::map<std::pair<std::string, std::string>, Result<void>> tried_;
};

}  // namespace ntblab::sim
