// SPDX-License-Identifier: MIT
// Two hosts joined by one NT pair, for tests of what is between them.
#pragma once

#include "pcie/simulation.h"
#include "pcie/system.h"

namespace ntblab::pcie {

inline topology::Topology topology_of(const std::string& text) {
    return topology::parse(text, "test.yaml").value();
}

inline topology::Topology pair_of_hosts() {
    return topology_of("name: pair\nnodes: {a: {}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n");
}

inline Profile plain_profile() {
    Profile profile;
    for (LinkSide* side : {&profile.host_side, &profile.fabric_side})
        side->credits = {CreditPair{64, 1024}, {64, 64}, {128, 2048}};
    return profile;
}

/// What arrives at a host.
struct Arrivals {
    explicit Arrivals(RootComplex& root) {
        root.on_write = [this](const Tlp& tlp, Picoseconds visible) {
            ++writes;
            bytes += tlp.length;
            last = std::max(last, visible);
            address = tlp.address;
            requester = tlp.requester;
        };
    }
    std::uint64_t writes = 0, bytes = 0, address = 0;
    std::uint16_t requester = 0;
    Picoseconds last = 0;
};

struct PairOfHosts {
    explicit PairOfHosts(const Profile& profile = plain_profile(),
                         topology::Topology topology = pair_of_hosts())
        : system("system", topology, profile, {.check = true}), arrivals(system.host(1).root) {}

    const System::Endpoint& near() const { return *system.endpoint(0, 1); }
    std::uint64_t window() const { return system.window(near()); }
    Transfer copy(std::uint64_t bytes) const {
        return {.kind = Transfer::Kind::copy,
                .source = {near().partition, 0x10000},
                .target = {near().peer_partition, 0x20000},
                .bytes = bytes,
                .queue = {near().partition, 0x1000}};
    }
    /// Nothing is left, and nobody has broken a rule.
    testing::AssertionResult clean() const {
        if (!system.at_rest()) return testing::AssertionFailure() << "not at rest";
        const auto violations = system.violations();
        return violations.empty() ? testing::AssertionSuccess()
                                  : testing::AssertionFailure() << violations.front();
    }

    System system;
    Arrivals arrivals;
};

}  // namespace ntblab::pcie
