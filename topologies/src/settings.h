// SPDX-License-Identifier: MIT
// What a file says, field by field, before defaults are filled in: an absent field is nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/reader.h"
#include "topology/topology.h"

namespace ntblab::topology {

inline constexpr std::size_t kMostPartitions = 48;  ///< Of a switch.

/// Fields of an NT endpoint; they can stand at a node, a switch or in `defaults`.
struct EndpointSettings {
    std::optional<unsigned> generation;
    std::optional<unsigned> width;
    std::optional<std::uint64_t> bar2;
    std::optional<std::uint64_t> bar4;
    std::optional<unsigned> lut_entries;
    std::optional<unsigned> vectors;
    std::optional<unsigned> dma;
    std::optional<bool> dma_listed;
};

struct NodeSettings {
    std::optional<unsigned> cpus;
    std::optional<std::uint64_t> memory;
    std::optional<std::string> cmdline;
    std::optional<bool> iommu;
    std::optional<std::vector<std::string>> modules;
    EndpointSettings endpoint;
};

struct NamedNode {
    std::string name;
    YAML::Mark where;
    NodeSettings settings;
};

struct PairSettings {
    unsigned index = 0;  ///< Place in the switch's list, from 0.
    std::string nodes[2];
    YAML::Mark where[2];
    std::optional<unsigned> partitions[2];
    bool numbers_readable = true;  ///< Those that the file gives, if any, are in `partitions`.
};

/// A node's name, where it is used.
struct NodeReference {
    std::string node;
    YAML::Mark where;
};

struct SwitchSettings {
    std::string name;
    YAML::Mark where;
    std::optional<std::string> model;
    std::optional<unsigned> partitions;
    std::optional<bool> upstream_port;
    EndpointSettings endpoint;
    std::vector<PairSettings> pairs;
    std::vector<NodeReference> management;
};

struct StepSettings {
    Step step;  ///< But for its node.
    std::string node;
    YAML::Mark where;  ///< Of the node's name.
};

struct FileSettings {
    std::string name;
    bool lan = false;
    std::string share;
    std::optional<std::string> kernel;
    std::string guest_suite;
    std::vector<StepSettings> validate;
    NodeSettings defaults;
    std::vector<NamedNode> nodes;
    bool nodes_known = false;  ///< `nodes` holds all that the file names: a reference to another is wrong.
    std::vector<SwitchSettings> switches;
};

/// Reads the document. What is wrong goes to the reader's diagnostics.
FileSettings read_file(Reader& reader, const YAML::Node& document);

/// Reads `link`, `windows`, `vectors`, `dma` and `rid-protection` among `fields`; `owner` names whose they
/// are.
EndpointSettings read_endpoint(Reader& reader, const Fields& fields, const std::string& owner);

}  // namespace ntblab::topology
