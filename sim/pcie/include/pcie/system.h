// SPDX-License-Identifier: MIT
// The whole of a topology's hardware, made of the other modules.
//
//     System system("system", topology, profile, {});
//     system.host(0).cpu->start({Access::Kind::store_combined, system.window(*system.endpoint(0, 1)), 4096},
//     done); sc_core::sc_start();
#pragma once

#include <topology/topology.h>

#include <memory>

#include "pcie/checker.h"
#include "pcie/profile.h"

namespace ntblab::pcie {

struct SystemOptions {
    bool check = false;  ///< Have a ProtocolChecker at every link.
    bool cpus = true;    ///< Without, something else is to be bound to their root complexes.
    std::uint64_t seed = 1;
};

class System : public sc_core::sc_module {
  public:
    struct Host {
        Host(const std::string& name, const RootComplexConfig& config, TlpPool& pool);
        RootComplex root;
        std::unique_ptr<Cpu> cpu;  ///< Null in a system without.
    };
    /// An NT endpoint of a node, with the DMA engine beside it.
    struct Endpoint {
        std::size_t node;
        std::size_t peer;  ///< Node.
        unsigned port;     ///< Root port of its node.
        std::uint16_t partition;
        std::uint16_t peer_partition;
        Link* link;
        std::unique_ptr<Ntb> ntb;
        std::unique_ptr<DmaEngine> dma;
    };

    /// @throw std::invalid_argument for a profile with conflicts().
    System(sc_core::sc_module_name name, const topology::Topology& topology, const Profile& profile,
           const SystemOptions& options);
    ~System() override;

    std::size_t host_count() const { return hosts_.size(); }
    /// Of a node that has an endpoint.
    Host& host(std::size_t node) { return *hosts_.at(node); }
    /// Likewise; null for a node that has none.
    const Host* find_host(std::size_t node) const { return hosts_.at(node).get(); }
    const std::vector<Endpoint>& endpoints() const { return endpoints_; }
    /// The first endpoint of `node` to `peer`; null if there is none.
    const Endpoint* endpoint(std::size_t node, std::size_t peer) const;
    /// Where `node`'s CPU finds `peer`'s memory address 0.
    std::uint64_t window(const Endpoint& endpoint) const { return (endpoint.port + 1) * kPortSpace; }

    const std::vector<std::unique_ptr<Link>>& links() const { return links_; }
    const std::vector<std::unique_ptr<Switch>>& switches() const { return switches_; }
    /// Everything in it; null: nobody.
    void observe(Observer* observer);
    /// Of all checkers.
    std::vector<std::string> violations() const;
    TlpPool& pool() { return pool_; }
    /// Nothing is under way, and all credits are back.
    bool at_rest() const;

  private:
    friend class SystemBuilder;

    TlpPool pool_;
    std::vector<std::unique_ptr<Host>> hosts_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
    std::vector<std::unique_ptr<Switch>> switches_;
    std::vector<Endpoint> endpoints_;
};

}  // namespace ntblab::pcie
