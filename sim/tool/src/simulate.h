// SPDX-License-Identifier: MIT
// A simulation from beginning to end: a topology's hardware, traffic, what was measured and what modules
// counted.
//
//     Outcome outcome = simulate(hardware, workload, flows, 4096, {});
#pragma once

#include <topology/topology.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "runner.h"

namespace ntblab::sim {

struct Hardware {
    topology::Topology topology;
    pcie::Profile profile;
    std::uint64_t seed = 1;
    bool check = false;  ///< Have a protocol checker at every link.
};

/// What else is wanted of a simulation.
struct Hooks {
    /// Before it. Whether to begin.
    std::function<bool(pcie::System&)> begin = [](pcie::System&) { return true; };
    /// After it. Whether anybody wants to know what was measured.
    std::function<bool(pcie::System&)> end = [](pcie::System&) { return true; };
    /// Now and then: how much of it is done, from 0 to 1.
    std::function<void(double)> progress = [](double) {};
};

struct Outcome {
    Measured measured;
    nlohmann::ordered_json statistics;    ///< Of modules, by their names (statistics_json.h).
    std::vector<std::string> violations;  ///< Of the protocol, where that was checked.
};

/// @throw std::invalid_argument if the profile cannot be what the topology asks for. std::logic_error if
/// something is under way when nothing is left to happen: an error of the model.
Outcome simulate(const Hardware& hardware, const Workload& workload, const std::vector<Flow>& flows,
                 std::uint64_t size, const Hooks& hooks);

}  // namespace ntblab::sim
