// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <regex>

#include "read_validate.h"
#include "settings.h"
#include "topology/suggest.h"

namespace ntblab::topology {
namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;
constexpr std::uint64_t kLeastMemory = 128 * kMebibyte;
constexpr std::uint64_t kMostMemory = 1ULL << 40;
constexpr std::size_t kCmdlineLimit = 1024;
constexpr std::size_t kMostNodes = 250;
constexpr std::size_t kMostSwitches = 64;
constexpr std::size_t kMostModules = 32;
constexpr std::size_t kMostPairs = kMostPartitions / 2;

std::optional<std::uint64_t> read_memory(Reader& reader, const YAML::Node& node, const std::string& what) {
    const auto size = reader.size(node, what);
    if (!size) return size;
    if (*size >= kLeastMemory && *size <= kMostMemory && *size % kMebibyte == 0) return size;
    reader.diagnostics().error(
        node.Mark(), fmt::format("{} is {}; expected {} to {}, a multiple of 1M", what, node.Scalar(),
                                 format_size(kLeastMemory), format_size(kMostMemory)));
    return std::nullopt;
}

std::optional<std::string> read_cmdline(Reader& reader, const YAML::Node& node, const std::string& what) {
    auto text = reader.string(node, what);
    if (!text) return text;
    const bool printable =
        std::all_of(text->begin(), text->end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (printable && text->size() <= kCmdlineLimit) return text;
    reader.diagnostics().error(
        node.Mark(), fmt::format("{} has {} bytes; expected at most {}, all of them printable ASCII", what,
                                 text->size(), kCmdlineLimit));
    return std::nullopt;
}

std::vector<std::string> read_modules(Reader& reader, const YAML::Node& node, const std::string& what) {
    static const std::regex form("[A-Za-z0-9_-]{1,64}");
    std::vector<std::string> result;
    for (const YAML::Node& item : reader.sequence(node, what, 0, kMostModules)) {
        const auto module = reader.string(item, "a module in " + what);
        if (!module) continue;
        if (module->size() <= 64 && std::regex_match(*module, form)) {
            result.push_back(*module);
            continue;
        }
        reader.diagnostics().error(
            item.Mark(),
            fmt::format("{} has {}, which is no module's name; expected letters, digits, '_' and '-'", what,
                        describe(item)));
    }
    return result;
}

NodeSettings read_node(Reader& reader, const YAML::Node& node, const std::string& owner) {
    NodeSettings result;
    const Fields fields = reader.mapping(node, owner,
                                         {"cpus", "memory", "cmdline", "iommu", "modules", "link", "windows",
                                          "vectors", "dma", "rid-protection"});
    if (const auto* cpus = fields.find("cpus"))
        result.cpus = reader.integer(*cpus, "cpus of " + owner, 1, 64);
    if (const auto* memory = fields.find("memory"))
        result.memory = read_memory(reader, *memory, "memory of " + owner);
    if (const auto* cmdline = fields.find("cmdline"))
        result.cmdline = read_cmdline(reader, *cmdline, "cmdline of " + owner);
    if (const auto* iommu = fields.find("iommu")) result.iommu = reader.boolean(*iommu, "iommu of " + owner);
    if (const auto* modules = fields.find("modules"))
        result.modules = read_modules(reader, *modules, "modules of " + owner);
    result.endpoint = read_endpoint(reader, fields, owner);
    return result;
}

void read_pair_nodes(Reader& reader, const YAML::Node& node, const std::string& what,
                     std::vector<PairSettings>& result, PairSettings pair) {
    const auto sides = reader.sequence(node, what, 2, 2);
    if (sides.size() != 2) return;
    for (unsigned side = 0; side < 2; ++side) {
        const auto name = reader.name(sides[side], "a node of " + what);
        if (!name) return;
        pair.nodes[side] = *name;
        pair.where[side] = sides[side].Mark();
    }
    if (pair.nodes[0] == pair.nodes[1]) {
        reader.diagnostics().error(
            node.Mark(),
            fmt::format("{} joins '{}' to itself; name two different nodes", what, pair.nodes[0]));
        return;
    }
    result.push_back(pair);
}

void read_pair(Reader& reader, const YAML::Node& node, const std::string& what, PairSettings pair,
               std::vector<PairSettings>& result) {
    if (!node.IsMap()) return read_pair_nodes(reader, node, what, result, pair);
    const Fields fields = reader.mapping(node, what, {"nodes", "partitions"});
    if (const auto* partitions = fields.find("partitions")) {
        const auto numbers = reader.sequence(*partitions, "partitions of " + what, 2, 2);
        for (unsigned side = 0; side < numbers.size(); ++side)
            pair.partitions[side] =
                reader.integer(numbers[side], "a partition of " + what, 0, kMostPartitions - 1);
        pair.numbers_readable = pair.partitions[0] && pair.partitions[1];
    }
    if (const auto* nodes = fields.find("nodes")) return read_pair_nodes(reader, *nodes, what, result, pair);
    reader.diagnostics().error(node.Mark(), fmt::format("{} has no 'nodes'; add nodes: [a, b]", what));
}

std::vector<NodeReference> read_management(Reader& reader, const YAML::Node& node, const std::string& owner) {
    std::vector<NodeReference> result;
    const std::string what = "management of " + owner;
    for (const YAML::Node& item : reader.sequence(node, what, 1, kMostPartitions)) {
        const auto name = reader.name(item, "a node of " + what);
        if (!name) continue;
        const bool again = std::any_of(result.begin(), result.end(),
                                       [&](const NodeReference& other) { return other.node == *name; });
        if (again)
            reader.diagnostics().error(item.Mark(),
                                       fmt::format("{} names '{}' twice; name it once", what, *name));
        result.push_back({*name, item.Mark()});
    }
    return result;
}

SwitchSettings read_switch(Reader& reader, const Field& field) {
    SwitchSettings result;
    result.name = field.key;
    result.where = field.where;
    const std::string owner = fmt::format("switch '{}'", field.key);
    const Fields fields = reader.mapping(field.value, owner,
                                         {"model", "partitions", "upstream-port", "link", "windows",
                                          "vectors", "dma", "rid-protection", "nt-pairs", "management"});
    if (const auto* model = fields.find("model")) result.model = reader.string(*model, "model of " + owner);
    if (const auto* count = fields.find("partitions"))
        result.partitions = reader.integer(*count, "partitions of " + owner, 2, kMostPartitions);
    if (const auto* port = fields.find("upstream-port"))
        result.upstream_port = reader.boolean(*port, "upstream-port of " + owner);
    if (const auto* management = fields.find("management"))
        result.management = read_management(reader, *management, owner);
    result.endpoint = read_endpoint(reader, fields, owner);
    if (const auto* pairs = fields.find("nt-pairs")) {
        PairSettings next;
        for (const YAML::Node& pair : reader.sequence(*pairs, "nt-pairs of " + owner, 1, kMostPairs)) {
            read_pair(reader, pair, fmt::format("nt-pairs[{}] of {}", next.index, owner), next, result.pairs);
            ++next.index;
        }
    } else if (field.value.IsMap()) {
        reader.diagnostics().error(field.where,
                                   fmt::format("{} has no 'nt-pairs'; add nt-pairs: [[a, b]]", owner));
    }
    return result;
}

/// Names that a guest's /etc/hosts has for itself.
constexpr std::array<const char*, 3> kReservedNames = {"localhost", "ip6-localhost", "ip6-loopback"};

void read_nodes(Reader& reader, const YAML::Node& nodes, FileSettings& result) {
    const Fields fields = reader.named(nodes, "'nodes'", "node");
    result.nodes_known = nodes.IsMap() && fields.entries.size() == nodes.size();
    for (const Field& field : fields.entries) {
        if (std::find(kReservedNames.begin(), kReservedNames.end(), field.key) != kReservedNames.end())
            reader.diagnostics().error(
                field.where,
                fmt::format(
                    "a node cannot be named '{}', which is every guest's name for itself; choose another",
                    field.key));
        NamedNode node{field.key, field.where, {}};
        if (!field.value.IsNull())
            node.settings = read_node(reader, field.value, fmt::format("node '{}'", field.key));
        result.nodes.push_back(std::move(node));
    }
    if (nodes.IsMap() && (nodes.size() == 0 || nodes.size() > kMostNodes))
        reader.diagnostics().error(
            nodes.Mark(), fmt::format("'nodes' has {} nodes; expected 1 to {}", nodes.size(), kMostNodes));
}

std::optional<std::string> read_path(Reader& reader, const YAML::Node& node, const std::string& what,
                                     const char* expected) {
    auto path = reader.string(node, what);
    if (path && path->empty())
        reader.diagnostics().error(node.Mark(), fmt::format("{} is empty; expected {}", what, expected));
    return path;
}

}  // namespace

FileSettings read_file(Reader& reader, const YAML::Node& document) {
    FileSettings result;
    const Fields fields = reader.mapping(
        document, "the topology",
        {"name", "lan", "share", "kernel", "guest-suite", "defaults", "nodes", "switches", "validate"});
    if (const auto* name = fields.find("name")) result.name = reader.name(*name, "'name'").value_or("");
    if (const auto* lan = fields.find("lan")) result.lan = reader.boolean(*lan, "'lan'").value_or(false);
    if (const auto* share = fields.find("share"))
        result.share = read_path(reader, *share, "'share'", "the path of a directory").value_or("");
    if (const auto* kernel = fields.find("kernel"))
        result.kernel = read_path(reader, *kernel, "'kernel'", "stock, debug, or the path of a directory");
    if (const auto* suite = fields.find("guest-suite"))
        result.guest_suite =
            reader.word(*suite, "'guest-suite'", {kGuestSuites.begin(), kGuestSuites.end()}).value_or("");
    if (const auto* validate = fields.find("validate")) result.validate = read_validate(reader, *validate);
    if (const auto* defaults = fields.find("defaults"))
        result.defaults = read_node(reader, *defaults, "'defaults'");
    if (const auto* nodes = fields.find("nodes")) read_nodes(reader, *nodes, result);
    if (const auto* switches = fields.find("switches")) {
        for (const Field& field : reader.named(*switches, "'switches'", "switch").entries)
            result.switches.push_back(read_switch(reader, field));
        if (switches->IsMap() && switches->size() > kMostSwitches)
            reader.diagnostics().error(switches->Mark(),
                                       fmt::format("'switches' has {} switches; expected at most {}",
                                                   switches->size(), kMostSwitches));
    }
    if (document.IsMap() && !fields.find("name"))
        reader.diagnostics().error(document.Mark(),
                                   "the topology has no 'name'; add a line such as name: pair");
    if (document.IsMap() && !fields.find("nodes"))
        reader.diagnostics().error(document.Mark(), "the topology has no 'nodes'; add nodes: {a: {}, b: {}}");
    return result;
}

}  // namespace ntblab::topology
