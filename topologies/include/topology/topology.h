// SPDX-License-Identifier: MIT
// A cluster as a topology file describes it, with every default filled in.
//
//     auto cluster = ntblab::topology::load("topologies/pair.yaml");
//     if (!cluster) { std::cerr << cluster.error().message << '\n'; return 1; }   // file:line:column: what
//     and why for (const auto& partition : cluster->switches[0].partitions) use(partition.link.width);
//
// The file's fields are documented in topology.schema.json. Reading a file has no side effects.
#pragma once

#include <ntblab/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ntblab::topology {

/// The PCIe link between a host and its switch port.
struct Link {
    unsigned generation = 4;  ///< 1..5: 2.5, 5, 8, 16, 32 GT/s.
    unsigned width = 16;      ///< Lanes: 1, 2, 4, 8, 16.
    bool operator==(const Link&) const = default;
};

/// The window BARs of an NT endpoint.
struct Windows {
    std::uint64_t bar2 =
        64ULL << 20;  ///< Bytes, a power of two; LUT windows first, then a direct one. 0: absent.
    std::uint64_t bar4 = 64ULL << 20;  ///< Bytes, a power of two; one direct window. 0: absent.
    unsigned lut_entries = 64;         ///< Of 64 KiB each, 1..512.
    bool operator==(const Windows&) const = default;
};

/// A virtual machine.
struct Node {
    std::string name;
    unsigned cpus = 1;
    std::uint64_t memory = 1ULL << 30;  ///< Bytes, a multiple of 1 MiB.
    std::string cmdline;                ///< Appended to the kernel's command line.
    bool iommu = false;                 ///< Has an IOMMU, which the kernel is told to use.
    std::vector<std::string> modules = {"ntb_transport", "ntb_hw_switchtec",
                                        "ntb_netdev"};  ///< Loaded at boot, in this order.
};

/// A partition of a switch. Its number is its place in Switch::partitions.
struct Partition {
    std::optional<std::size_t>
        node;  ///< Index into Topology::nodes of the host; none: the partition has no endpoint.
    /// Partition of the same switch at the other end of the NT pair; none: the host has a management
    /// endpoint, without windows.
    std::optional<unsigned> peer;
    Link link;
    Windows windows;
    unsigned vectors = 4;  ///< MSI-X table entries, 4..32.
    unsigned dma = 0;      ///< Channels of the DMA function beside the NT endpoint, 1..64; 0: there is none.
    bool dma_listed = true;  ///< The requester-ID table lists the DMA function from power-on.
};

struct Switch {
    std::string name;
    std::string model = "pfx-52xg4";
    std::uint16_t vendor_id = 0x11F8, device_id = 0x4052;  ///< PCI IDs of `model`.
    bool upstream_port = false;  ///< Hosts see the upstream port, with the endpoint as its function 1.
    unsigned generation = 4;     ///< Of `model`: 3, 4, 5.
    std::vector<Partition> partitions;

    /// Number of the NT or management endpoint's function of its device; the DMA function's comes next.
    unsigned endpoint_function() const { return upstream_port ? 1 : 0; }
    unsigned dma_function() const { return endpoint_function() + 1; }
};

/// What one node has in one of its slots.
struct Endpoint {
    std::size_t sw;      ///< Index into Topology::switches.
    unsigned partition;  ///< Of that switch.
};

/// A command that a test of the cluster runs, and what is expected of it.
struct Step {
    std::string name;      ///< For people.
    std::size_t node = 0;  ///< Index into Topology::nodes.
    std::vector<std::string> words;
    int exit_code = 0;
    /// Of its standard output, without a newline at its end; what is absent is not looked at.
    std::optional<std::string> exact;
    std::optional<std::string> contains;
    std::optional<std::string> regex;  ///< POSIX extended, found anywhere; ^ and $ match at lines.
    unsigned timeout = 60;             ///< Seconds.
};

/// Debian releases that guests may have.
inline constexpr std::array<const char*, 2> kGuestSuites = {"bookworm", "trixie"};

struct Topology {
    std::string name;
    bool lan = false;  ///< The nodes also share a virtio-net LAN.
    std::string
        share;  ///< Directory of the host that the guests have as /share, as the file gives it; "": none.
    std::string kernel = "stock";  ///< "stock", "debug", or a directory as the file gives it.
    std::string guest_suite;       ///< Debian of the guests, among kGuestSuites; "": the default image's.
    std::vector<Node> nodes;
    std::vector<Switch> switches;
    std::vector<Step> validate;  ///< In their order.
    /// What is allowed but will not do with mainline drivers; each as file:line:column: sentence.
    std::vector<std::string> warnings;

    /// NT endpoints of a node, ordered by (switch, partition).
    std::vector<Endpoint> endpoints(std::size_t node) const;
    /// Its management endpoints, likewise.
    std::vector<Endpoint> management_endpoints(std::size_t node) const;
    /// First these, then those: the order of a node's slots.
    std::vector<Endpoint> all_endpoints(std::size_t node) const;
    /// Index of the node of that name.
    std::optional<std::size_t> find_node(const std::string& node) const;
};

/// Reads and checks a file. Errors: each names file, line and column, what was found, what was expected and
/// what to do.
Result<Topology> load(const std::string& path);

/// The text of a file, which may be a pipe; `what` is what messages expect. Errors: not to be read, a
/// directory, larger than 1 MiB.
Result<std::string> read_source(const std::string& path, const std::string& what = "a topology file");

/// As `load`, from text; `path` is what messages call it.
Result<Topology> parse(const std::string& text, const std::string& path);

/// Whether `name` may name a cluster, a node or a switch: lower-case letters, digits and inner hyphens, at
/// most 32.
bool valid_name(const std::string& name);

}  // namespace ntblab::topology
