// SPDX-License-Identifier: MIT
// What is done between hosts, as data: workloads/*.yaml, or a file of the user's.
//
//     auto workload = load_workload("dma-write", data_folder("workloads"));
//     if (!workload) { std::cerr << workload.error().message << '\n'; return 2; }  // file:line:column: what
//     and why auto flows = flows_of(*workload, topology);
#pragma once

#include <ntblab/result.h>
#include <topology/reader.h>
#include <topology/topology.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ntblab::sim {

enum class Operation : std::uint8_t {
    pio_write,     ///< Write-combined stores into the window; latency until the peer sees the last byte.
    pio_read,      ///< Loads from the window.
    pio_pingpong,  ///< A store there, and when it is seen, one back; half of that.
    dma_write,     ///< The engine copies to the peer, until the peer sees the last byte.
    dma_read,      ///< The engine copies from the peer, until its own host does.
    device_write,  ///< The engine writes to its own host's memory.
    device_read,   ///< The engine reads from its own host's memory, until the last completion.
    doorbell,      ///< An uncached store that becomes an interrupt, until its handler.
    rdma_write,    ///< As RoPCIe does it, until the responder has the last byte in place.
    rdma_read,     ///< Likewise, until the requester has its completion.
    rdma_send,     ///< Likewise, until the responder has its completion.
    trace,  ///< The requests of a file, each at its time, until the peer sees them or the answer is there.
};

/// "dma-write"
std::string_view name_of(Operation operation);
std::optional<Operation> find_operation(std::string_view name);

bool is_rdma(Operation operation);
/// Of an engine: dma_* and device_*.
bool is_dma(Operation operation);

/// Which hosts do it with which; in all of them only hosts that an NT pair joins.
enum class Pattern : std::uint8_t {
    pair,         ///< `from` to `to`.
    all_to_all,   ///< Each to all of its peers.
    incast,       ///< All of its peers to `to`.
    permutation,  ///< Each to one, no two to the same, as far as the pairs allow; by the seed.
};

struct Workload {
    std::string name{};
    std::string description{};
    Operation operation = Operation::pio_write;
    Pattern pattern = Pattern::pair;
    std::string from{}, to{};              ///< Names of nodes; "": the first pair's.
    std::vector<std::uint64_t> sizes{64};  ///< Bytes of a transfer.
    unsigned transfers = 100;  ///< That are measured, of each flow and size; fewer if they pass `bytes`.
    unsigned warm_up = 10;     ///< Before these.
    /// Of a size and flow: no more transfers than make up these, but 2, and `in_flight` to warm up.
    std::uint64_t bytes = 4 << 20;
    unsigned in_flight = 1;         ///< At the same time, of each flow.
    bool uncached = false;          ///< What is read is in no cache.
    bool remote = false;            ///< Memory is another socket's.
    std::uint64_t span = 1 << 20;   ///< Bytes of memory that transfers go through, one after the other.
    std::filesystem::path trace{};  ///< Of `trace`: the file (trace_file.h).
};

struct Flow {
    std::size_t from = 0, to = 1;  ///< Nodes.
    bool operator==(const Flow&) const = default;
};

/// Why a key of workload files, or the option of its name, says nothing to this one; "" if it does.
std::string no_use(std::string_view key, const Workload& workload);

/// One that is shipped in `folder`, by its name, or the path of a file.
Result<Workload> load_workload(const std::string& name, const std::filesystem::path& folder);

/// As `load_workload`, from text; `path` is what messages call it, and paths in it are relative to its
/// folder.
Result<Workload> parse_workload(const std::string& text, const std::string& path);

/// "64", "8..64K" (doubling), "64,4K,1M". Errors: what is no size, 0, more than 1 GiB, out of order.
Result<std::vector<std::uint64_t>> parse_sizes(const std::string& text);

/// Likewise from a file's `sizes`; what is wrong is an error there, and absent.
std::optional<std::vector<std::uint64_t>> read_sizes(topology::Reader& reader, const YAML::Node& node);

/// Errors: no such node, no NT pair between the two, no NT pair at all.
Result<std::vector<Flow>> flows_of(const Workload& workload, const topology::Topology& topology,
                                   std::uint64_t seed);

}  // namespace ntblab::sim
