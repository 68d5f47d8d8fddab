// SPDX-License-Identifier: MIT
#include "job_files.h"

#include <fmt/format.h>

#include <stdexcept>

#include "data_files.h"
#include "pcie/simulation.h"
#include "pcie/system.h"

namespace ntblab::sim {
namespace {

/// What `all` has of `key`, made by `load` if it is not there yet.
template <typename Key, typename T, typename Load>
Result<const T*> once(std::map<Key, Result<T>>& all, const Key& key, const Load& load) {
    auto found = all.find(key);
    if (found == all.end()) found = all.emplace(key, load()).first;
    if (!found->second) return tl::unexpected(found->second.error());
    return &*found->second;
}

}  // namespace

Result<const topology::Topology*> JobFiles::topology(const std::string& path) {
    return once(topologies_, path, [&] { return topology::load(path); });
}

Result<const pcie::Profile*> JobFiles::profile(const std::string& name) {
    return once(profiles_, name, [&] { return pcie::load_profile(name, data_folder("profiles").string()); });
}

Result<const Workload*> JobFiles::workload(const std::string& name) {
    return once(workloads_, name, [&] { return load_workload(name, data_folder("workloads")); });
}

Result<const std::vector<TraceRequest>*> JobFiles::trace(const std::filesystem::path& path,
                                                         const std::string& topology,
                                                         const pcie::Profile& profile) {
    const auto of = this->topology(topology);
    if (!of) return tl::unexpected(of.error());
    return once(traces_, {path.string(), topology, profile.mps, profile.mrrs},
                [&] { return load_trace(path, **of, profile); });
}

// What a job sets of the profile makes no difference: all that cannot be then is in its conflicts().
Result<void> JobFiles::try_out(const std::string& topology, const std::string& profile) {
    auto found = tried_.find({topology, profile});
    if (found != tried_.end()) return found->second;
    const auto of = this->topology(topology);
    if (!of) return tl::unexpected(of.error());
    const auto with = this->profile(profile);
    if (!with) return tl::unexpected(with.error());
    Result<void> result;
    try {
        const pcie::Simulation simulation;
        const pcie::System system("system", **of, **with, {});
    } catch (const std::invalid_argument& error) {
        result = fail(
            fmt::format("profile '{}' with topology '{}': {}", (*with)->name, (*of)->name, error.what()));
    }
    tried_.emplace(std::pair(topology, profile), result);
    return result;
}

}  // namespace ntblab::sim
