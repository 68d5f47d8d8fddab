// SPDX-License-Identifier: MIT
#include "pcie/system.h"

#include <algorithm>
#include <string>

namespace ntblab::pcie {

System::Host::Host(const std::string& name, const RootComplexConfig& config, TlpPool& pool)
    : root((name + "_root").c_str(), config, pool) {}

/// Puts the parts together.
class SystemBuilder {
  public:
    SystemBuilder(System& system, const topology::Topology& topology, const Profile& profile,
                  const SystemOptions& options)
        : system_(system), topology_(topology), profile_(profile), options_(options) {}

    void build() {
        for (std::size_t node = 0; node < topology_.nodes.size(); ++node) add_host(node);
        for (std::size_t sw = 0; sw < topology_.switches.size(); ++sw)
            profile_.fabric == Profile::Fabric::switched ? add_switch(sw) : add_adapters(sw);
    }

  private:
    void add_host(std::size_t node) {
        RootComplexConfig config = profile_.host;
        config.ports = static_cast<unsigned>(topology_.endpoints(node).size());
        config.mps = profile_.mps;
        if (!topology_.nodes[node].iommu) config.iommu.entries = 0;
        if (config.ports == 0) {  // nothing of it is on the way of a TLP
            system_.hosts_.push_back(nullptr);
            return;
        }
        const std::string& name = topology_.nodes[node].name;
        auto host = std::make_unique<System::Host>(name, config, system_.pool_);
        if (options_.cpus) {
            host->cpu = std::make_unique<Cpu>((name + "_cpu").c_str(), profile_.cpu, system_.pool_);
            host->cpu->out.bind(host->root.from_cpu());
            host->root.to_cpu().bind(host->cpu->in);
        }
        system_.hosts_.push_back(std::move(host));
    }

    unsigned root_port(std::size_t sw, unsigned partition) const {
        const auto endpoints = topology_.endpoints(*topology_.switches[sw].partitions[partition].node);
        const auto found = std::ranges::find_if(
            endpoints, [&](const auto& e) { return e.sw == sw && e.partition == partition; });
        return static_cast<unsigned>(found - endpoints.begin());
    }

    /// The NTs of a switch, by partition.
    std::vector<unsigned> paired(const topology::Switch& sw) const {
        std::vector<unsigned> result;
        for (unsigned partition = 0; partition < sw.partitions.size(); ++partition)
            if (sw.partitions[partition].peer) result.push_back(partition);
        return result;
    }

    /// A link's ends: its own, or its checker's.
    struct Ends {
        Link* link;
        ProtocolChecker* checker;

        TlpTarget& in(unsigned side) const { return checker != nullptr ? checker->in(side) : link->in(side); }
        TlpInitiator& out(unsigned side) const {
            return checker != nullptr ? checker->out(side) : link->out(side);
        }
    };

    /// Of the ports of a partition's host and engine, of which the role has the weight `of_role`.
    unsigned weight(unsigned partition, unsigned of_role) const {
        return partition < profile_.port_weights.size() ? profile_.port_weights[partition] : of_role;
    }

    /// @param weights Of the hop's ports.
    Ends add_link(const std::string& name, const topology::Link& link, const Medium& medium,
                  const std::vector<unsigned>& weights, bool between_adapters) {
        LinkConfig config;
        config.generation = link.generation;
        config.lanes = link.width;
        config.mps = profile_.mps;
        config.propagation = medium.propagation();
        config.bit_error_rate = profile_.bit_error_rate;
        config.seed = options_.seed * 1000 + system_.links_.size();
        config.sides = {between_adapters ? profile_.fabric_side : profile_.host_side, profile_.fabric_side};
        config.sides[0].weights = between_adapters ? weights : std::vector{1U};
        config.sides[1].weights = weights;
        Link& added = *system_.links_.emplace_back(std::make_unique<Link>(name.c_str(), config));
        if (!options_.check) return {&added, nullptr};
        return {&added, system_.checkers_
                            .emplace_back(
                                std::make_unique<ProtocolChecker>((name + "_checker").c_str(), added, config))
                            .get()};
    }

    Switch& add_hop(const std::string& name, unsigned ports, Switch::Route route) {
        SwitchConfig config = profile_.hop;
        config.ports = ports;
        return *system_.switches_.emplace_back(
            std::make_unique<Switch>(name.c_str(), config, std::move(route)));
    }

    /// The endpoint of a partition: its host's link and NTB at port `host_port` of `hop`, its engine at
    /// `dma_port`.
    void add_endpoint(std::size_t sw, unsigned partition, Switch& hop, const std::vector<unsigned>& weights,
                      unsigned host_port, unsigned dma_port) {
        const auto& side = topology_.switches[sw].partitions[partition];
        const unsigned peer = *side.peer;
        const std::string name = topology_.switches[sw].name + "_" + std::to_string(partition);
        const unsigned root = root_port(sw, partition);
        const Ends link = add_link(name + "_link", side.link, profile_.host_medium, weights, false);
        NtbConfig ntb_config = profile_.ntb;
        ntb_config.partition = static_cast<std::uint16_t>(partition);
        ntb_config.windows = {{(root + 1) * kPortSpace, kPortSpace, static_cast<std::uint16_t>(peer), 0}};
        auto ntb = std::make_unique<Ntb>((name + "_ntb").c_str(), ntb_config, system_.pool_);
        DmaConfig dma_config = profile_.dma;
        dma_config.mps = profile_.mps;
        dma_config.mrrs = profile_.mrrs;
        dma_config.requester = Ntb::proxy(dma_partition(sw, partition), 0);
        auto dma = std::make_unique<DmaEngine>((name + "_dma").c_str(), dma_config, system_.pool_);

        RootComplex& host = system_.host(*side.node).root;
        host.out(root).bind(link.in(0));
        link.out(0).bind(host.in(root));
        ntb->to_host().bind(link.in(1));
        link.out(1).bind(ntb->from_host());
        ntb->to_fabric().bind(hop.in(host_port));
        hop.out(host_port).bind(ntb->from_fabric());
        dma->out.bind(hop.in(dma_port));
        hop.out(dma_port).bind(dma->in);
        hop.set_encoding(host_port, link.link->encoding());
        system_.endpoints_.push_back({*side.node, *topology_.switches[sw].partitions[peer].node, root,
                                      static_cast<std::uint16_t>(partition), static_cast<std::uint16_t>(peer),
                                      link.link, std::move(ntb), std::move(dma)});
    }

    unsigned dma_partition(std::size_t sw, unsigned partition) const {
        return static_cast<unsigned>(topology_.switches[sw].partitions.size()) + partition;
    }

    void add_switch(std::size_t number) {
        const topology::Switch& sw = topology_.switches[number];
        const std::vector<unsigned> partitions = paired(sw);
        const auto ports = static_cast<unsigned>(2 * partitions.size());
        std::vector<unsigned> port_of(2 * sw.partitions.size(), 0);
        std::vector<unsigned> weights;
        for (unsigned i = 0; i < partitions.size(); ++i) {
            port_of[partitions[i]] = 2 * i;
            port_of[dma_partition(number, partitions[i])] = 2 * i + 1;
            weights.push_back(weight(partitions[i], profile_.host_weight));
            weights.push_back(weight(partitions[i], profile_.dma_weight));
        }
        Switch& hop = add_hop(sw.name, ports, [port_of](const Tlp& tlp) { return port_of[tlp.partition]; });
        for (unsigned i = 0; i < partitions.size(); ++i)
            add_endpoint(number, partitions[i], hop, weights, 2 * i, 2 * i + 1);
    }

    /// Of the ports of a partition's adapter: its host, its cable, its engine.
    std::vector<unsigned> adapter_weights(unsigned partition) const {
        return {weight(partition, profile_.host_weight), profile_.cable_weight,
                weight(partition, profile_.dma_weight)};
    }

    Switch& add_adapter(std::size_t number, unsigned partition) {
        constexpr unsigned kHost = 0, kCable = 1, kEngine = 2, kPorts = 3;
        const unsigned engine = dma_partition(number, partition);
        Switch& hop = add_hop(
            topology_.switches[number].name + "_" + std::to_string(partition), kPorts,
            [partition, engine](const Tlp& tlp) {
                return tlp.partition == partition ? kHost : tlp.partition == engine ? kEngine : kCable;
            });
        add_endpoint(number, partition, hop, adapter_weights(partition), kHost, kEngine);
        return hop;
    }

    void add_adapters(std::size_t number) {
        const topology::Switch& sw = topology_.switches[number];
        for (const unsigned partition : paired(sw)) {
            const unsigned peer = *sw.partitions[partition].peer;
            if (peer < partition) continue;
            Switch& near = add_adapter(number, partition);
            Switch& far = add_adapter(number, peer);
            const Ends cable = add_link(sw.name + "_" + std::to_string(partition) + "_cable",
                                        {profile_.generation, profile_.lanes}, profile_.cable,
                                        adapter_weights(partition), true);
            near.out(1).bind(cable.in(0));
            cable.out(0).bind(near.in(1));
            far.out(1).bind(cable.in(1));
            cable.out(1).bind(far.in(1));
            near.set_encoding(1, cable.link->encoding());
            far.set_encoding(1, cable.link->encoding());
        }
    }

    System& system_;
    const topology::Topology& topology_;
    const Profile& profile_;
    const SystemOptions& options_;
};

System::System(sc_core::sc_module_name name, const topology::Topology& topology, const Profile& profile,
               const SystemOptions& options)
    : sc_module(name) {
    SystemBuilder(*this, topology, profile, options).build();
}

System::~System() = default;

const System::Endpoint* System::endpoint(std::size_t node, std::size_t peer) const {
    const auto found = std::ranges::find_if(
        endpoints_, [&](const Endpoint& endpoint) { return endpoint.node == node && endpoint.peer == peer; });
    return found == endpoints_.end() ? nullptr : &*found;
}

void System::observe(Observer* observer) {
    for (const auto& host : hosts_) {
        if (!host) continue;
        host->root.observe(observer);
        if (host->cpu) host->cpu->observe(observer);
    }
    for (const auto& link : links_) link->observe(observer);
    for (const auto& hop : switches_) hop->observe(observer);
    for (const Endpoint& endpoint : endpoints_) {
        endpoint.ntb->observe(observer);
        endpoint.dma->observe(observer);
    }
}

std::vector<std::string> System::violations() const {
    std::vector<std::string> all;
    for (const auto& checker : checkers_)
        all.insert(all.end(), checker->violations().begin(), checker->violations().end());
    return all;
}

bool System::at_rest() const {
    return pool_.in_use() == 0 &&
           std::ranges::all_of(links_,
                               [](const auto& link) { return link->at_rest(0) && link->at_rest(1); }) &&
           std::ranges::all_of(checkers_, [](const auto& checker) { return checker->at_rest(); }) &&
           std::ranges::all_of(switches_, [](const auto& hop) { return hop->at_rest(); }) &&
           std::ranges::all_of(endpoints_, [](const auto& endpoint) { return endpoint.dma->at_rest(); });
}

}  // namespace ntblab::pcie
