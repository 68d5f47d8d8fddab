// SPDX-License-Identifier: MIT
#include "resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "models.h"
#include "topology/suggest.h"

namespace ntblab::topology {
namespace {

void override_with(Partition& partition, const EndpointSettings& settings) {
    if (settings.generation) partition.link.generation = *settings.generation;
    if (settings.width) partition.link.width = *settings.width;
    if (settings.bar2) partition.windows.bar2 = *settings.bar2;
    if (settings.bar4) partition.windows.bar4 = *settings.bar4;
    if (settings.lut_entries) partition.windows.lut_entries = *settings.lut_entries;
    if (settings.vectors) partition.vectors = *settings.vectors;
    if (settings.dma) partition.dma = *settings.dma;
    if (settings.dma_listed) partition.dma_listed = *settings.dma_listed;
}

Node resolve_node(const NamedNode& named, const NodeSettings& defaults) {
    Node node;
    node.name = named.name;
    for (const NodeSettings* settings : {&defaults, &named.settings}) {
        if (settings->cpus) node.cpus = *settings->cpus;
        if (settings->memory) node.memory = *settings->memory;
        if (settings->cmdline) node.cmdline = *settings->cmdline;
        if (settings->iommu) node.iommu = *settings->iommu;
        if (settings->modules) node.modules = *settings->modules;
    }
    return node;
}

/// Those of a node's modules that bind to an NTB device, in the order of their loading; ntb_netdev does by
/// ntb_transport.
std::vector<std::string> ntb_clients(const Node& node) {
    static constexpr std::array kClients = {"ntb_transport", "ntb_perf", "ntb_pingpong", "ntb_tool",
                                            "ropcie"};
    std::vector<std::string> clients;
    for (const std::string& module : node.modules) {
        const std::string client = module == "ntb_netdev" ? "ntb_transport" : module;
        const bool known = std::ranges::find(kClients, client) != kClients.end();
        if (known && std::ranges::find(clients, client) == clients.end()) clients.push_back(client);
    }
    return clients;
}

std::string unknown_node(const Topology& topology, const std::string& name) {
    std::vector<std::string> names;
    names.reserve(topology.nodes.size());
    for (const Node& known : topology.nodes) names.push_back(known.name);
    const std::string guess = nearest(name, names);
    return fmt::format("the unknown node '{}'; {}", name,
                       guess.empty() ? "add it to 'nodes'" : fmt::format("did you mean '{}'?", guess));
}

/// Resolves one switch of a file.
class SwitchResolver {
  public:
    SwitchResolver(const FileSettings& file, const SwitchSettings& settings, const Topology& topology,
                   bool readable, Diagnostics& diagnostics)
        : file_(file),
          settings_(settings),
          topology_(topology),
          diagnostics_(diagnostics),
          readable_(readable) {}

    Switch resolve() {
        result_.name = settings_.name;
        const Model* model = find_model();
        result_.upstream_port = settings_.upstream_port.value_or(false);
        for (const PairSettings& pair : settings_.pairs) place(pair);
        for (const NodeReference& host : settings_.management) place_management(host);
        if (!readable_ || model == nullptr) return std::move(result_);
        if (settings_.partitions) {
            if (result_.partitions.size() > *settings_.partitions)
                error(fmt::format(
                    "has {} partitions, but its NT pairs and management hosts need {}; raise 'partitions' or "
                    "leave it out",
                    *settings_.partitions, result_.partitions.size()));
            else
                grow(*settings_.partitions);
        }
        check_links(*model);
        return std::move(result_);
    }

  private:
    void error(const std::string& message) {
        diagnostics_.error(settings_.where, fmt::format("switch '{}' {}", settings_.name, message));
    }

    const Model* find_model() {
        const std::string name = settings_.model.value_or(result_.model);
        const auto* found = std::ranges::find(kModels, name, &Model::name);
        if (found == kModels.end()) {
            std::vector<std::string> names;
            names.reserve(kModels.size());
            for (const Model& model : kModels) names.emplace_back(model.name);
            const std::string guess = nearest(name, names);
            error(fmt::format("is of the unknown model '{}'; {}", name,
                              guess.empty() ? "expected one such as pfx-52xg4 or pfx-100xg5"
                                            : fmt::format("did you mean '{}'?", guess)));
            return nullptr;
        }
        result_.model = name;
        result_.vendor_id = found->vendor_id;
        result_.device_id = found->device_id;
        result_.generation = found->generation;
        return found;
    }

    void grow(std::size_t count) {
        Partition unused;
        unused.windows = {0, 0, 0};
        if (result_.partitions.size() < count) result_.partitions.resize(count, unused);
    }

    std::optional<std::size_t> find_side(const PairSettings& pair, unsigned side) {
        const auto node = topology_.find_node(pair.nodes[side]);
        if (node || !file_.nodes_known) return node;
        diagnostics_.error(pair.where[side], fmt::format("an NT pair of switch '{}' names {}", settings_.name,
                                                         unknown_node(topology_, pair.nodes[side])));
        return std::nullopt;
    }

    void place(const PairSettings& pair) {
        const unsigned numbers[2] = {pair.partitions[0].value_or(2 * pair.index),
                                     pair.partitions[1].value_or(2 * pair.index + 1)};
        if (pair.numbers_readable && numbers[0] == numbers[1]) {
            diagnostics_.error(pair.where[0],
                               fmt::format("both sides of an NT pair of switch '{}' are partition {}; give "
                                           "each side its own",
                                           settings_.name, numbers[0]));
            return;
        }
        for (unsigned side = 0; side < 2; ++side) {
            const auto node = find_side(pair, side);
            if (!node || !pair.numbers_readable) continue;
            grow(numbers[side] + 1);
            Partition& partition = result_.partitions[numbers[side]];
            if (partition.node) {
                diagnostics_.error(
                    pair.where[side],
                    fmt::format("partition {} of switch '{}' is already that of node '{}'; choose another by "
                                "partitions: [.., ..]",
                                numbers[side], settings_.name, topology_.nodes[*partition.node].name));
                continue;
            }
            partition = Partition{};
            partition.node = node;
            partition.peer = numbers[1 - side];
            override_with(partition, file_.defaults.endpoint);
            override_with(partition, settings_.endpoint);
            override_with(partition, file_.nodes[*node].settings.endpoint);
            if (readable_) check_windows(partition, pair.where[side]);
        }
    }

    /// In the first partition after all others.
    void place_management(const NodeReference& host) {
        const auto node = topology_.find_node(host.node);
        if (!node) {
            if (file_.nodes_known)
                diagnostics_.error(host.where,
                                   fmt::format("management of switch '{}' names {}", settings_.name,
                                               unknown_node(topology_, host.node)));
            return;
        }
        if (result_.partitions.size() >= kMostPartitions) {
            diagnostics_.error(host.where,
                               fmt::format("management of switch '{}' has no partition left for '{}'; "
                                           "a switch has at most {}",
                                           settings_.name, host.node, kMostPartitions));
            return;
        }
        Partition& partition = result_.partitions.emplace_back();
        partition.node = node;
        override_with(partition, file_.defaults.endpoint);
        override_with(partition, settings_.endpoint);
        override_with(partition, file_.nodes[*node].settings.endpoint);
        partition.windows = {0, 0, 0};
        partition.dma = 0;
    }

    void check_windows(const Partition& partition, const YAML::Mark& where) {
        const std::string& node = topology_.nodes[*partition.node].name;
        const Windows& windows = partition.windows;
        if (windows.bar2 == 0 && windows.bar4 == 0) {
            diagnostics_.error(
                where,
                fmt::format("the endpoint of node '{}' has neither bar2 nor bar4; give one a size", node));
            return;
        }
        const std::uint64_t first = windows.bar2 != 0 ? windows.bar2 : windows.bar4;
        const std::uint64_t lut = static_cast<std::uint64_t>(std::bit_floor(windows.lut_entries)) << 16;
        if (2 * lut > first)
            diagnostics_.warning(
                where,
                fmt::format("{} LUT windows of 64K and a direct window need {} of node '{}', whose first "
                            "window BAR has {}: mainline ntb_hw_switchtec will find no direct window "
                            "there, or fail to set up; lower lut-entries or enlarge the BAR",
                            std::bit_floor(windows.lut_entries), format_size(2 * lut), node,
                            format_size(first)));
    }

    void check_links(const Model& model) {
        unsigned lanes = 0;
        for (const Partition& partition : result_.partitions) {
            if (!partition.node) continue;
            lanes += partition.link.width;
            if (partition.dma != 0 && model.generation < 4)
                error(fmt::format(
                    "({}) is a Gen{} switch, which has no DMA engine, but node '{}' has 'dma: {}'; "
                    "leave 'dma' out or take a newer model",
                    model.name, model.generation, topology_.nodes[*partition.node].name, partition.dma));
            if (partition.link.generation > model.generation)
                error(fmt::format(
                    "({}) is a Gen{} switch, but its link to node '{}' is of generation {}; lower the "
                    "generation or take a newer model",
                    model.name, model.generation, topology_.nodes[*partition.node].name,
                    partition.link.generation));
        }
        if (lanes > model.lanes)
            error(fmt::format(
                "({}) has {} lanes, but its links need {}; make links narrower or take a larger model",
                model.name, model.lanes, lanes));
        for (const Partition& partition : result_.partitions) check_pair(partition);
    }

    void check_pair(const Partition& partition) {
        if (!partition.peer || *partition.peer >= result_.partitions.size()) return;
        const Partition& peer = result_.partitions[*partition.peer];
        if (!peer.node || *peer.node < *partition.node) return;
        if (partition.windows.lut_entries != peer.windows.lut_entries)
            diagnostics_.warning(
                settings_.where,
                fmt::format("in switch '{}' the nodes '{}' and '{}' have {} and {} lut-entries: mainline "
                            "ntb_hw_switchtec programs its peer with its own count; make them equal",
                            settings_.name, topology_.nodes[*partition.node].name,
                            topology_.nodes[*peer.node].name, partition.windows.lut_entries,
                            peer.windows.lut_entries));
        const auto ours = ntb_clients(topology_.nodes[*partition.node]);
        const auto theirs = ntb_clients(topology_.nodes[*peer.node]);
        if (ours.size() == 1 && theirs.size() == 1 && ours != theirs)
            diagnostics_.warning(
                settings_.where,
                fmt::format("in switch '{}' the node '{}' loads the NTB client {}, its peer '{}' {}: they do "
                            "not speak with each other; load the same on both",
                            settings_.name, topology_.nodes[*partition.node].name, ours[0],
                            topology_.nodes[*peer.node].name, theirs[0]));
    }

    const FileSettings& file_;
    const SwitchSettings& settings_;
    const Topology& topology_;
    Diagnostics& diagnostics_;
    bool readable_;  ///< Every value of the file was read: sums over defaults in place of wrong ones would
                     ///< mislead.
    Switch result_;
};

void resolve_steps(const FileSettings& file, Topology& result, Diagnostics& diagnostics) {
    unsigned index = 0;
    for (const StepSettings& settings : file.validate) {
        const auto node = result.find_node(settings.node);
        if (!node && !settings.node.empty() && file.nodes_known)
            diagnostics.error(settings.where, fmt::format("validate[{}] is for {}", index,
                                                          unknown_node(result, settings.node)));
        ++index;
        Step& step = result.validate.emplace_back(settings.step);
        step.node = node.value_or(0);
    }
}

}  // namespace

Topology resolve(const FileSettings& file, Diagnostics& diagnostics) {
    Topology result;
    result.name = file.name;
    result.lan = file.lan;
    result.share = file.share;
    if (file.kernel) result.kernel = *file.kernel;
    result.guest_suite = file.guest_suite;
    for (const NamedNode& node : file.nodes) result.nodes.push_back(resolve_node(node, file.defaults));
    const bool readable = diagnostics.ok();
    for (const SwitchSettings& settings : file.switches)
        result.switches.push_back(SwitchResolver(file, settings, result, readable, diagnostics).resolve());
    for (std::size_t node = 0; node < file.nodes.size(); ++node)
        if (const auto clients = ntb_clients(result.nodes[node]); clients.size() > 1)
            diagnostics.warning(
                file.nodes[node].where,
                fmt::format("node '{}' loads the NTB clients {}: an NTB device has one, that which is first; "
                            "leave one in 'modules'",
                            file.nodes[node].name, fmt::join(clients, " and ")));
    // ntb_netdev does not load without an NTB device.
    for (std::size_t node = 0; node < file.nodes.size(); ++node) {
        const bool said = file.nodes[node].settings.modules || file.defaults.modules;
        if (said || !result.endpoints(node).empty()) continue;
        result.nodes[node].modules.clear();
        if (!result.management_endpoints(node).empty()) result.nodes[node].modules.emplace_back("switchtec");
    }
    resolve_steps(file, result, diagnostics);
    result.warnings = diagnostics.warnings();
    return result;
}

}  // namespace ntblab::topology
