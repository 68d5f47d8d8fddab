// SPDX-License-Identifier: MIT
#include "graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "text.h"

namespace ntblab::lab {
namespace {

using topology::Node;
using topology::Partition;
using topology::Switch;
using topology::Topology;

// Names have letters, digits and hyphens only, and so need no escapes in any of the formats.

std::string describe(const Node& node) {
    return fmt::format("{} {}, {}", node.cpus, node.cpus == 1 ? "CPU" : "CPUs", human_size(node.memory));
}

std::string describe(const topology::Link& link) {
    return fmt::format("Gen{} x{}", link.generation, link.width);
}

std::string window(const char* bar, std::uint64_t size) {
    return size == 0 ? "" : fmt::format(" {} {}", bar, human_size(size));
}

std::string describe(const topology::Windows& windows) {
    return (window("BAR2", windows.bar2) + window("BAR4", windows.bar4)).substr(1);
}

/// What is behind a partition's link.
std::string describe(const Partition& partition) {
    return partition.peer ? describe(partition.windows) : "management";
}

/// An NT pair, seen from its side with the lower number.
struct Pair {
    unsigned left, right;
};

std::vector<Pair> pairs_of(const Switch& sw) {
    std::vector<Pair> result;
    for (unsigned number = 0; number < sw.partitions.size(); ++number)
        if (sw.partitions[number].peer && number < *sw.partitions[number].peer)
            result.push_back({number, *sw.partitions[number].peer});
    return result;
}

/// Partitions with a management endpoint.
std::vector<unsigned> management_of(const Switch& sw) {
    std::vector<unsigned> result;
    for (unsigned number = 0; number < sw.partitions.size(); ++number)
        if (sw.partitions[number].node && !sw.partitions[number].peer) result.push_back(number);
    return result;
}

std::string title(const Switch& sw) {
    return fmt::format("{} ({})", sw.name, sw.model);
}

/// What a drawing of one switch in text needs to line up.
class AsciiSwitch {
  public:
    AsciiSwitch(const Topology& topology, const Switch& sw)
        : topology_(topology), sw_(sw), pairs_(pairs_of(sw)) {
        for (const Pair& pair : pairs_) {
            left_ = std::max(left_, name(pair.left).size());
            link_ = std::max({link_, link(pair.left).size(), link(pair.right).size()});
            number_ =
                std::max({number_, std::to_string(pair.left).size(), std::to_string(pair.right).size()});
        }
        for (const unsigned host : management_of(sw)) {
            left_ = std::max(left_, name(host).size());
            link_ = std::max(link_, link(host).size());
            number_ = std::max(number_, std::to_string(host).size());
        }
        inner_ = std::max(title(sw).size() + 4, 2 * number_ + kShortest + 2);
    }

    std::string draw() const {
        const std::string margin(2 + left_ + 1 + link_ + 4, ' ');
        std::string result = fmt::format("{}+{:-^{}}+\n", margin, " " + title(sw_) + " ", inner_);
        for (const Pair& pair : pairs_) {
            result += fmt::format("  {:<{}} --{:-<{}}--| {:<{}} |--{:->{}}-- {}\n", name(pair.left), left_,
                                  link(pair.left), link_, middle(pair), inner_ - 2, link(pair.right), link_,
                                  name(pair.right));
        }
        for (const unsigned host : management_of(sw_)) {
            result += fmt::format("  {:<{}} --{:-<{}}--| {:<{}} {:<{}} |\n", name(host), left_, link(host),
                                  link_, host, number_, "management", inner_ - 3 - number_);
        }
        return result + fmt::format("{}+{:-<{}}+\n", margin, "", inner_);
    }

  private:
    static constexpr std::size_t kShortest = std::string_view(" <== NT ==> ").size();

    /// Both numbers, and a bridge between them that fills the room.
    std::string middle(const Pair& pair) const {
        const std::size_t more = inner_ - 2 - 2 * number_ - kShortest;
        return fmt::format("{:<{}} <=={:=<{}} NT =={:=<{}}> {:>{}}", pair.left, number_, "", more / 2, "",
                           more - more / 2, pair.right, number_);
    }
    const Partition& partition(unsigned number) const { return sw_.partitions[number]; }
    const std::string& name(unsigned number) const { return topology_.nodes[*partition(number).node].name; }
    std::string link(unsigned number) const { return describe(partition(number).link); }

    const Topology& topology_;
    const Switch& sw_;
    std::vector<Pair> pairs_;
    std::size_t left_ = 0;
    std::size_t link_ = 0;
    std::size_t number_ = 0;
    std::size_t inner_ = 0;
};

}  // namespace

std::string graph_ascii(const Topology& topology) {
    std::string result = fmt::format("{}\n", topology.name);
    std::size_t width = 0;
    for (const Node& node : topology.nodes) width = std::max(width, node.name.size());
    for (const Node& node : topology.nodes)
        result += fmt::format("  {:<{}}  {}\n", node.name, width, describe(node));
    for (const Switch& sw : topology.switches) result += "\n" + AsciiSwitch(topology, sw).draw();
    if (topology.lan) {
        std::vector<std::string> names;
        for (const Node& node : topology.nodes) names.push_back(node.name);
        result += fmt::format("\nLAN (virtio-net): {}\n", fmt::join(names, ", "));
    }
    return result;
}

std::string graph_dot(const Topology& topology) {
    std::string result = fmt::format("graph \"{}\" {{\n  rankdir=LR;\n  node [shape=box];\n", topology.name);
    for (const Node& node : topology.nodes)
        result += fmt::format("  \"{0}\" [label=\"{0}\\n{1}\", style=rounded];\n", node.name, describe(node));
    for (const Switch& sw : topology.switches) {
        result += fmt::format("  subgraph \"cluster_{}\" {{\n    label=\"{}\";\n", sw.name, title(sw));
        for (unsigned number = 0; number < sw.partitions.size(); ++number)
            if (sw.partitions[number].node)
                result += fmt::format("    \"{0}/{1}\" [label=\"partition {1}\\n{2}\"];\n", sw.name, number,
                                      describe(sw.partitions[number]));
        for (const Pair& pair : pairs_of(sw))
            result += fmt::format("    \"{0}/{1}\" -- \"{0}/{2}\" [label=\"NT\", style=bold];\n", sw.name,
                                  pair.left, pair.right);
        result += "  }\n";
        // The far side is named second, so that graphviz puts it on the right.
        for (const Pair& pair : pairs_of(sw)) {
            const Partition& left = sw.partitions[pair.left];
            const Partition& right = sw.partitions[pair.right];
            result += fmt::format("  \"{}\" -- \"{}/{}\" [label=\"{}\"];\n", topology.nodes[*left.node].name,
                                  sw.name, pair.left, describe(left.link));
            result += fmt::format("  \"{}/{}\" -- \"{}\" [label=\"{}\"];\n", sw.name, pair.right,
                                  topology.nodes[*right.node].name, describe(right.link));
        }
        for (const unsigned host : management_of(sw))
            result += fmt::format("  \"{}\" -- \"{}/{}\" [label=\"{}\"];\n",
                                  topology.nodes[*sw.partitions[host].node].name, sw.name, host,
                                  describe(sw.partitions[host].link));
    }
    if (topology.lan) {
        result += "  \"LAN\" [shape=ellipse];\n";
        for (const Node& node : topology.nodes)
            result += fmt::format("  \"{}\" -- \"LAN\" [style=dashed];\n", node.name);
    }
    return result + "}\n";
}

std::string graph_mermaid(const Topology& topology) {
    std::string result = "flowchart LR\n";
    for (std::size_t node = 0; node < topology.nodes.size(); ++node)
        result += fmt::format("  n{}(\"{}<br>{}\")\n", node, topology.nodes[node].name,
                              describe(topology.nodes[node]));
    for (std::size_t index = 0; index < topology.switches.size(); ++index) {
        const Switch& sw = topology.switches[index];
        result += fmt::format("  subgraph s{} [\"{}\"]\n", index, title(sw));
        for (unsigned number = 0; number < sw.partitions.size(); ++number)
            if (sw.partitions[number].node)
                result += fmt::format("    s{}p{}[\"partition {}<br>{}\"]\n", index, number, number,
                                      describe(sw.partitions[number]));
        for (const Pair& pair : pairs_of(sw))
            result += fmt::format("    s{0}p{1} == NT === s{0}p{2}\n", index, pair.left, pair.right);
        result += "  end\n";
        for (const Pair& pair : pairs_of(sw)) {
            const Partition& left = sw.partitions[pair.left];
            const Partition& right = sw.partitions[pair.right];
            result += fmt::format("  n{} -- \"{}\" --- s{}p{}\n", *left.node, describe(left.link), index,
                                  pair.left);
            result += fmt::format("  s{}p{} -- \"{}\" --- n{}\n", index, pair.right, describe(right.link),
                                  *right.node);
        }
        for (const unsigned host : management_of(sw))
            result += fmt::format("  n{} -- \"{}\" --- s{}p{}\n", *sw.partitions[host].node,
                                  describe(sw.partitions[host].link), index, host);
    }
    if (topology.lan) {
        result += "  lan([\"LAN\"])\n";
        for (std::size_t node = 0; node < topology.nodes.size(); ++node)
            result += fmt::format("  n{} -.- lan\n", node);
    }
    return result;
}

}  // namespace ntblab::lab
