// SPDX-License-Identifier: MIT
// Runs of a shipped topology with the protocol watched, for tests.
#pragma once

#include <gmock/gmock.h>

#include "simulate.h"

namespace ntblab::sim {

inline Hardware hardware_of(const std::string& topology = "pair",
                            const std::string& profile = "switchtec-gen4x16") {
    return {topology::load(std::string(TOPOLOGIES_DIR "/") + topology + ".yaml").value(),
            pcie::load_profile(profile, PROFILES_DIR).value(), 1, true};
}

inline Measured measure(const Hardware& hardware, const Workload& workload, std::uint64_t size) {
    const Outcome outcome =
        simulate(hardware, workload, flows_of(workload, hardware.topology, hardware.seed).value(), size, {});
    EXPECT_THAT(outcome.violations, testing::IsEmpty());
    return outcome.measured;
}

inline Workload workload_of(Operation operation, unsigned transfers = 20, unsigned in_flight = 1) {
    Workload workload;
    workload.operation = operation;
    workload.transfers = transfers;
    workload.in_flight = in_flight;
    return workload;
}

}  // namespace ntblab::sim
