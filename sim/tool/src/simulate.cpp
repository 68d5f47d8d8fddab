// SPDX-License-Identifier: MIT
#include "simulate.h"

#include <stdexcept>

#include "pcie/simulation.h"
#include "statistics_json.h"

namespace ntblab::sim {

Outcome simulate(const Hardware& hardware, const Workload& workload, const std::vector<Flow>& flows,
                 std::uint64_t size, const Hooks& hooks) {
    pcie::Simulation simulation;
    pcie::System system("system", hardware.topology, hardware.profile,
                        {.check = hardware.check, .seed = hardware.seed});
    Runner runner("runner", system, hardware.profile, workload, flows, size);
    runner.on_end = [&] {
        hooks.progress(static_cast<double>(runner.ended()) / static_cast<double>(runner.all()));
    };
    if (!hooks.begin(system)) return {};
    simulation.run();
    if (!hooks.end(system)) return {};
    if (!system.at_rest()) throw std::logic_error("the model came to no rest");
    return {runner.measured(), statistics_json(system), system.violations()};
}

}  // namespace ntblab::sim
