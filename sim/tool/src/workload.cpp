// SPDX-License-Identifier: MIT
#include "workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <topology/named_file.h>
#include <topology/reader.h>
#include <topology/suggest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

namespace ntblab::sim {
namespace {

namespace fs = std::filesystem;
using topology::Diagnostics;
using topology::Reader;

// Both together end below the addresses of interrupts.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30, kMostSpan = std::uint64_t{2} << 30;

constexpr std::uint64_t kDoorbell = 4;  ///< Bytes of one.

constexpr std::array<std::string_view, 12> kOperations = {
    "pio-write",   "pio-read", "pio-pingpong", "dma-write", "dma-read",  "device-write",
    "device-read", "doorbell", "rdma-write",   "rdma-read", "rdma-send", "trace"};
constexpr std::array<std::string_view, 4> kPatterns = {"pair", "all-to-all", "incast", "permutation"};

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

template <std::size_t N>
std::string unknown(const char* what, const std::array<std::string_view, N>& names, const std::string& name) {
    return fmt::format("there is no {} '{}'; {}expected one of {}", what, name,
                       topology::did_you_mean(name, std::vector<std::string>(names.begin(), names.end())),
                       fmt::join(names, ", "));
}

/// Of a transfer.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    const auto value = topology::parse_size(text);
    if (!value || *value == 0 || *value > kMostBytes) return std::nullopt;
    return *value;
}

bool is_one_of(Operation operation, std::initializer_list<Operation> operations) {
    return std::ranges::find(operations, operation) != operations.end();
}

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
    return std::ranges::find(keys, key) != keys.end();
}

class WorkloadReader {
  public:
    WorkloadReader(Workload& workload, Diagnostics& diagnostics, fs::path folder)
        : workload_(workload), diagnostics_(diagnostics), reader_(diagnostics), folder_(std::move(folder)) {}

    void read(const YAML::Node& document) {
        fields_ = reader_.mapping(document, "a workload",
                                  {"description", "operation", "pattern", "from", "to", "sizes", "transfers",
                                   "warm-up", "bytes", "in-flight", "uncached", "remote", "span", "trace"});
        if (const auto* node = fields_.find("description"))
            workload_.description = reader_.string(*node, "description").value_or("");
        if (const auto* node = fields_.find("operation")) {
            if (const auto value = choice(*node, "operation", kOperations))
                workload_.operation = static_cast<Operation>(*value);
        } else if (diagnostics_.ok()) {
            diagnostics_.error(document.Mark(), fmt::format("a workload says its operation, one of {}",
                                                            fmt::join(kOperations, ", ")));
        }
        if (const auto* node = fields_.find("pattern"))
            if (const auto value = choice(*node, "pattern", kPatterns))
                workload_.pattern = static_cast<Pattern>(*value);
        if (const auto* node = fields_.find("from"))
            workload_.from = reader_.name(*node, "from").value_or("");
        if (const auto* node = fields_.find("to")) workload_.to = reader_.name(*node, "to").value_or("");
        if (const auto* node = fields_.find("sizes"))
            workload_.sizes = read_sizes(reader_, *node).value_or(workload_.sizes);
        count("transfers", workload_.transfers, 1);
        count("warm-up", workload_.warm_up, 0);
        count("in-flight", workload_.in_flight, 1);
        bytes("bytes", workload_.bytes, std::numeric_limits<std::uint64_t>::max());
        bytes("span", workload_.span, kMostSpan);
        flag("uncached", workload_.uncached);
        flag("remote", workload_.remote);
        if (const auto* node = fields_.find("trace"))
            if (const auto path = reader_.string(*node, "trace")) workload_.trace = folder_ / *path;
        if (!diagnostics_.ok()) return;
        for (const auto& field : fields_.entries)
            if (const std::string why = no_use(field.key, workload_); !why.empty())
                diagnostics_.error(field.where, fmt::format("{} has no use here: {}", field.key, why));
        if (workload_.operation == Operation::trace && fields_.find("trace") == nullptr)
            diagnostics_.error(document.Mark(),
                               "the operation trace lacks trace, the path of a file of requests");
        if (workload_.operation == Operation::doorbell && fields_.find("sizes") == nullptr)
            workload_.sizes = {kDoorbell};
    }

  private:
    template <std::size_t N>
    std::optional<std::size_t> choice(const YAML::Node& node, const char* what,
                                      const std::array<std::string_view, N>& names) {
        const auto text = reader_.string(node, what);
        if (!text) return std::nullopt;
        const auto index = index_of(names, *text);
        if (!index) diagnostics_.error(node.Mark(), unknown(what, names, *text));
        return index;
    }

    void count(const char* key, unsigned& value, unsigned least) {
        constexpr unsigned kMost = 1'000'000;
        if (const auto* node = fields_.find(key))
            value = reader_.integer(*node, key, least, kMost).value_or(value);
    }

    void bytes(const char* key, std::uint64_t& value, std::uint64_t most) {
        const auto* node = fields_.find(key);
        if (node == nullptr) return;
        value = reader_.size(*node, key).value_or(value);
        if (value == 0 || value > most)
            diagnostics_.error(
                node->Mark(),
                fmt::format("{} is {}; expected bytes, such as 1M{}", key, topology::format_size(value),
                            value == 0 ? "" : ", at most " + topology::format_size(most)));
    }

    void flag(const char* key, bool& value) {
        if (const auto* node = fields_.find(key)) value = reader_.boolean(*node, key).value_or(value);
    }

    Workload& workload_;
    Diagnostics& diagnostics_;
    Reader reader_;
    fs::path folder_;
    topology::Fields fields_;
};

/// A matching of nodes to peers, each peer once: augmenting paths, from nodes and peers in the seed's order.
class Matching {
  public:
    Matching(std::vector<std::vector<std::size_t>> peers, std::uint64_t seed)
        : peers_(std::move(peers)), taken_by_(peers_.size()) {
        std::mt19937_64 random(seed);
        std::vector<std::size_t> order(peers_.size());
        std::iota(order.begin(), order.end(), 0);
        shuffle(order, random);
        for (auto& list : peers_) shuffle(list, random);
        for (const std::size_t node : order) {
            std::vector<bool> seen(peers_.size(), false);
            find(node, seen);
        }
    }

    std::vector<Flow> flows() const {
        std::vector<Flow> result;
        for (std::size_t to = 0; to < taken_by_.size(); ++to)
            if (taken_by_[to]) result.push_back({*taken_by_[to], to});
        std::ranges::sort(result, {}, &Flow::from);
        return result;
    }

  private:
    // Not std::shuffle, whose order is the library's.
    static void shuffle(std::vector<std::size_t>& list, std::mt19937_64& random) {
        for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random() % i]);
    }

    bool find(std::size_t node, std::vector<bool>& seen) {
        return std::ranges::any_of(peers_[node], [&](std::size_t peer) {
            if (seen[peer]) return false;
            seen[peer] = true;
            if (taken_by_[peer] && !find(*taken_by_[peer], seen)) return false;
            taken_by_[peer] = node;
            return true;
        });
    }

    std::vector<std::vector<std::size_t>> peers_;
    std::vector<std::optional<std::size_t>> taken_by_;
};

/// Those that an NT pair joins to each node, sorted.
std::vector<std::vector<std::size_t>> peers_of(const topology::Topology& topology) {
    std::vector<std::vector<std::size_t>> result(topology.nodes.size());
    for (const auto& sw : topology.switches)
        for (const auto& partition : sw.partitions)
            if (partition.node && partition.peer)
                result[*partition.node].push_back(*sw.partitions[*partition.peer].node);
    for (auto& list : result) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
}

Result<std::optional<std::size_t>> find_node(const std::string& name, const topology::Topology& topology) {
    if (name.empty()) return std::nullopt;
    const auto node = topology.find_node(name);
    if (node) return node;
    std::vector<std::string> names;
    for (const auto& known : topology.nodes) names.push_back(known.name);
    return fail(fmt::format("topology '{}' has no node '{}'; it has {}", topology.name, name,
                            fmt::join(names, ", ")));
}

}  // namespace

std::string_view name_of(Operation operation) {
    return kOperations.at(static_cast<std::size_t>(operation));
}

std::optional<Operation> find_operation(std::string_view name) {
    const auto index = index_of(kOperations, std::string(name));
    if (!index) return std::nullopt;
    return static_cast<Operation>(*index);
}

bool is_rdma(Operation operation) {
    return is_one_of(operation, {Operation::rdma_write, Operation::rdma_read, Operation::rdma_send});
}

bool is_dma(Operation operation) {
    return is_one_of(operation, {Operation::dma_write, Operation::dma_read, Operation::device_write,
                                 Operation::device_read});
}

std::string no_use(std::string_view key, const Workload& workload) {
    const Operation operation = workload.operation;
    if (operation == Operation::trace)
        return is_one_of(key, {"pattern", "from", "to", "sizes", "transfers", "warm-up", "bytes", "in-flight",
                               "uncached", "remote", "span"})
                   ? "a trace's requests are what its file says"
                   : "";
    if (key == "trace") return "only the operation trace has a file of requests";
    if (is_one_of(key, {"from", "to"})) {
        if (workload.pattern == Pattern::all_to_all || workload.pattern == Pattern::permutation)
            return fmt::format("the pattern {} is of all hosts; name hosts of the pattern pair",
                               kPatterns.at(static_cast<std::size_t>(workload.pattern)));
        if (workload.pattern == Pattern::incast && key == "from")
            return "an incast is from all peers; name the host that it is to";
    }
    if (key == "uncached" && !is_dma(operation) && operation != Operation::pio_read)
        return fmt::format("{} reads no memory", name_of(operation));
    if (key == "span" && (is_rdma(operation) || operation == Operation::doorbell))
        return fmt::format("{} goes through no memory of its own", name_of(operation));
    if (key == "remote" && operation == Operation::doorbell) return "an interrupt is in no memory";
    return "";
}

Result<std::vector<std::uint64_t>> parse_sizes(const std::string& text) {
    std::vector<std::uint64_t> sizes;
    const auto wrong = [&](const std::string& item) {
        return fail(
            fmt::format("'{}' is no size of a transfer; expected bytes from 1 to 1G, as in 64, 8..64K "
                        "(doubling) or 64,4K,1M",
                        item));
    };
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string item = text.substr(at, comma - at);
        at = comma + 1;
        const std::size_t dots = item.find("..");
        const auto first = parse_bytes(item.substr(0, dots));
        const auto last = dots == std::string::npos ? first : parse_bytes(item.substr(dots + 2));
        if (!first || !last || *first > *last) return wrong(item);
        std::uint64_t size = *first;
        for (; size < *last; size *= 2) sizes.push_back(size);
        sizes.push_back(*last);
    }
    return sizes;
}

std::optional<std::vector<std::uint64_t>> read_sizes(Reader& reader, const YAML::Node& node) {
    auto sizes =
        node.IsScalar()
            ? parse_sizes(node.Scalar())
            : fail(fmt::format("sizes is {}; expected 64, 8..64K or \"64,4K,1M\"", topology::describe(node)));
    if (sizes) return std::move(*sizes);
    reader.diagnostics().error(node.Mark(), sizes.error().message);
    return std::nullopt;
}

Result<Workload> parse_workload(const std::string& text, const std::string& path) {
    const auto document = topology::parse_yaml(text, path);
    if (!document) return tl::unexpected(document.error());
    Diagnostics diagnostics(path);
    Workload workload;
    workload.name = fs::path(path).stem().string();
    WorkloadReader(workload, diagnostics, fs::path(path).parent_path()).read(*document);
    if (!diagnostics.ok()) return diagnostics.failure();
    return workload;
}

Result<Workload> load_workload(const std::string& name, const fs::path& folder) {
    const auto path = topology::find_named("workload", name, folder);
    if (!path) return tl::unexpected(path.error());
    const auto text = topology::read_source(path->string(), "a workload");
    if (!text) return tl::unexpected(text.error());
    return parse_workload(*text, path->string());
}

Result<std::vector<Flow>> flows_of(const Workload& workload, const topology::Topology& topology,
                                   std::uint64_t seed) {
    const auto peers = peers_of(topology);
    const auto first = std::ranges::find_if(peers, [](const auto& list) { return !list.empty(); });
    if (first == peers.end())
        return fail(fmt::format("topology '{}' has no NT pair: nothing joins two hosts", topology.name));
    const auto from = find_node(workload.from, topology);
    if (!from) return tl::unexpected(from.error());
    const auto to = find_node(workload.to, topology);
    if (!to) return tl::unexpected(to.error());

    std::vector<Flow> flows;
    switch (workload.pattern) {
        case Pattern::pair: {
            const std::size_t source = from->value_or(*to ? (peers[**to].empty() ? 0 : peers[**to].front())
                                                          : static_cast<std::size_t>(first - peers.begin()));
            const std::size_t target = to->value_or(peers[source].empty() ? source : peers[source].front());
            if (std::ranges::find(peers[source], target) == peers[source].end())
                return fail(fmt::format("no NT pair joins '{}' and '{}' in topology '{}'",
                                        topology.nodes[source].name, topology.nodes[target].name,
                                        topology.name));
            return std::vector<Flow>{{source, target}};
        }
        case Pattern::all_to_all:
            for (std::size_t node = 0; node < peers.size(); ++node)
                for (const std::size_t peer : peers[node]) flows.push_back({node, peer});
            return flows;
        case Pattern::incast: {
            const auto most =
                std::ranges::max_element(peers, {}, [](const auto& list) { return list.size(); });
            const std::size_t target = to->value_or(static_cast<std::size_t>(most - peers.begin()));
            if (peers[target].empty())
                return fail(fmt::format("no NT pair joins '{}' with anybody in topology '{}'",
                                        topology.nodes[target].name, topology.name));
            for (const std::size_t peer : peers[target]) flows.push_back({peer, target});
            return flows;
        }
        case Pattern::permutation:
            break;
    }
    return Matching(peers, seed).flows();
}

}  // namespace ntblab::sim
