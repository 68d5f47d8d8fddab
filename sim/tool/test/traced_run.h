// SPDX-License-Identifier: MIT
// A workload that is run with somebody watching.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <topology/topology.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "pcie/simulation.h"
#include "runner.h"
#include "traces/traces.h"

namespace ntblab::sim {

/// A folder of the test's own, which goes with it.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "ntb-sim-test.XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// Of all that is in it, sorted.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator(path_))
            all.push_back(entry.path().filename().string());
        std::ranges::sort(all);
        return all;
    }

  private:
    std::filesystem::path path_;
};

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

inline pcie::Profile profile_of(const std::string& name) {
    return pcie::load_profile(name, PROFILES_DIR).value();
}

/// Many turned bits, few credits, so that all happens that a trace can show.
inline pcie::Profile eventful_profile() {
    pcie::Profile profile = profile_of("switchtec-gen4x16");
    profile.bit_error_rate = 1e-5;
    profile.fabric_side.credits = {pcie::CreditPair{4, 64}, {4, 4}, {4, 64}};
    profile.host_side.credits[0] = {4, 64};
    return profile;
}

/// Watches before anything happens; after the run, what is to be seen of the system.
struct Watched {
    pcie::Profile profile = profile_of("switchtec-gen4x16");
    Workload workload{.operation = Operation::dma_write, .transfers = 5, .warm_up = 1};
    std::uint64_t size = 20000;
    std::string topology = "pair";
    std::uint64_t seed = 1;

    void run(
        const std::function<void(pcie::System&)>& watch,
        const std::function<void(pcie::System&)>& after = [](pcie::System&) {}) const {
        pcie::Simulation simulation;
        const auto loaded = topology::load(std::string(TOPOLOGIES_DIR "/") + topology + ".yaml").value();
        pcie::System system("system", loaded, profile, {.seed = seed});
        Runner runner("runner", system, profile, workload, {{0, 1}}, size);
        watch(system);
        simulation.run();
        system.observe(nullptr);
        after(system);
    }

    /// With these traces. @return What finish() says.
    Result<void> trace(const TraceOptions& options) const {
        std::unique_ptr<Traces> traces;
        Result<void> done;
        run([&](pcie::System& system) { traces = std::move(Traces::create(options, system).value()); },
            [&](pcie::System&) {
                done = traces->finish();
                traces.reset();
            });
        return done;
    }
};

/// TLPs on wires, as they were there.
struct Sent : pcie::Observer {
    struct Entry {
        std::string link;
        unsigned side;
        pcie::Tlp tlp;
        pcie::TlpOnWire wire;
    };
    struct DllpEntry {
        std::string link;
        unsigned side;
        pcie::Dllp dllp;
        pcie::DllpOnWire wire;
    };
    std::vector<Entry> tlps;
    std::vector<DllpEntry> dllps;
    std::uint64_t stalls = 0;

    void sent(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp,
              const pcie::TlpOnWire& wire) override {
        tlps.push_back({link.basename(), side, tlp, wire});
    }
    void sent(const pcie::Link& link, unsigned side, const pcie::Dllp& dllp,
              const pcie::DllpOnWire& wire) override {
        dllps.push_back({link.basename(), side, dllp, wire});
    }
    void stalled(const pcie::Link&, unsigned, pcie::StallCause, pcie::Picoseconds) override { ++stalls; }

    /// In the order of time.
    void sort() {
        std::ranges::stable_sort(tlps,
                                 [](const Entry& a, const Entry& b) { return a.wire.begin < b.wire.begin; });
    }
};

}  // namespace ntblab::sim
