// SPDX-License-Identifier: MIT
#include "explain.h"

#include <fmt/format.h>
#include <topology/topology.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "data_files.h"
#include "trace_options.h"
#include "waterfall.h"

namespace ntblab::sim {
namespace {

const std::map<std::string, Workload::Kind>& operations() {
    using Kind = Workload::Kind;
    static const std::map<std::string, Kind> all = {
        {"pio-write", Kind::pio_write},       {"pio-read", Kind::pio_read},
        {"dma-write", Kind::dma_write},       {"dma-read", Kind::dma_read},
        {"device-write", Kind::device_write}, {"device-read", Kind::device_read},
        {"doorbell", Kind::doorbell}};
    return all;
}

struct Options {
    std::string topology, profile = "switchtec-gen4x16", operation = "pio-write", from, to, waterfall;
    std::uint64_t size = 64;
    Workload workload;
    bool json = false;
    ExplainOptions explain;
    std::shared_ptr<TraceOptions> traces;
};

double nanoseconds(pcie::Picoseconds time) {
    return static_cast<double>(time) / 1000;
}

void print_table(const Account& account, const std::string& title) {
    const pcie::Picoseconds total = account.end - account.begin;
    fmt::print("{}: {:.3f} ns\n\n", title, nanoseconds(total));
    fmt::print("{:>12} {:>12} {:>6}  {:<19} {:<20} {}\n", "from (ns)", "for (ns)", "share", "TLP", "part",
               "where");
    for (const Step& step : summary(account)) {
        const pcie::Picoseconds span = step.end - step.begin;
        fmt::print("{:>12.3f} {:>12.3f} {:>5.1f}%  {:<19} {:<20} {}{}\n",
                   nanoseconds(step.begin - account.begin), nanoseconds(span),
                   100.0 * static_cast<double>(span) / static_cast<double>(total), step.tlp, step.part,
                   step.where, step.times > 1 ? fmt::format(" ({} times)", step.times) : "");
    }
}

void print_json(const Account& account, const Options& options) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const Step& step : account.steps)
        steps.push_back({{"tlp", step.tlp},
                         {"part", step.part},
                         {"where", step.where},
                         {"begin_ps", step.begin - account.begin},
                         {"end_ps", step.end - account.begin}});
    const nlohmann::ordered_json all = {{"topology", options.topology},
                                        {"profile", options.profile},
                                        {"operation", options.operation},
                                        {"from", options.from},
                                        {"to", options.to},
                                        {"bytes", options.size},
                                        {"picoseconds", account.end - account.begin},
                                        {"steps", steps}};
    fmt::print("{}\n", all.dump(2));
}

/// Node by its name; without one, of the first pair.
Result<std::size_t> find_node(const topology::Topology& topology, const std::string& option,
                              std::string& name, std::size_t otherwise) {
    if (name.empty()) name = topology.nodes[otherwise].name;
    if (const auto node = topology.find_node(name)) return *node;
    std::string names;
    for (const topology::Node& node : topology.nodes) names += (names.empty() ? "" : ", ") + node.name;
    return fail(
        fmt::format("{}: there is no node \"{}\" in the topology; its nodes are {}", option, name, names));
}

Result<void> find_nodes(const topology::Topology& topology, Options& options) {
    std::size_t from = 0;
    while (from + 1 < topology.nodes.size() && topology.endpoints(from).empty()) ++from;
    auto node = find_node(topology, "--from", options.from, from);
    if (!node) return tl::unexpected(node.error());
    options.workload.from = *node;
    std::size_t peer = *node;
    if (const auto endpoints = topology.endpoints(*node); !endpoints.empty()) {
        const topology::Switch& sw = topology.switches[endpoints[0].sw];
        peer = *sw.partitions[*sw.partitions[endpoints[0].partition].peer].node;
    }
    node = find_node(topology, "--to", options.to, peer);
    if (!node) return tl::unexpected(node.error());
    options.workload.to = *node;
    return {};
}

int run(Options& options) {
    const auto topology = topology::load(options.topology);
    if (!topology) return complain(topology.error().message, kUsage);
    const auto profile = pcie::load_profile(options.profile, data_folder("profiles").string());
    if (!profile) return complain(profile.error().message, kUsage);
    if (const auto found = find_nodes(*topology, options); !found)
        return complain(found.error().message, kUsage);
    options.workload.kind = operations().at(options.operation);
    if (options.workload.kind == Workload::Kind::doorbell) options.size = 4;
    options.workload.sizes = {options.size};
    options.explain.traces = *options.traces;
    const auto account = explain(*topology, *profile, options.workload, options.explain);
    if (!account) return complain(account.error().message, kFailure);
    const std::string title = fmt::format("{}, {} bytes, {} to {}, {}", options.operation, options.size,
                                          options.from, options.to, profile->name);
    if (options.json)
        print_json(*account, options);
    else
        print_table(*account, title);
    if (options.waterfall.empty()) return kOk;
    const auto drawn = draw_waterfall(*account, title, options.waterfall);
    return drawn ? kOk : complain(drawn.error().message, kFailure);
}

}  // namespace

void add_explain(CLI::App& app, CommandLine& line) {
    auto* command = app.add_subcommand("explain", "Say where one transfer's nanoseconds go");
    const auto options = std::make_shared<Options>();
    std::vector<std::string> names;
    for (const auto& [name, kind] : operations()) names.push_back(name);
    command->add_option("TOPOLOGY", options->topology, "Topology file")->required();
    command->add_option("--operation", options->operation, "What is done")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    command->add_option("--size", options->size, "Bytes; of a doorbell always 4")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
        ->capture_default_str();
    command->add_option("--profile", options->profile, "Name of one that is shipped, or the path of a file")
        ->capture_default_str();
    command->add_option("--from", options->from, "Node; without, the first that has a peer");
    command->add_option("--to", options->to, "Node; without, its first peer");
    command->add_option("--warm-up", options->workload.warm_up, "Transfers before it")->capture_default_str();
    command->add_flag("--uncached", options->workload.uncached, "What is read is in no cache");
    command->add_flag("--remote", options->workload.remote, "Memory is another socket's");
    command->add_option("--seed", options->explain.seed, "Of bit errors")->capture_default_str();
    command->add_option("--waterfall", options->waterfall, "Picture of the table, SVG or PNG")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "Print JSON, with all steps in their order");
    options->traces = add_trace_options(*command);
    command->callback([&line, options] { line.run = [options] { return run(*options); }; });
}

}  // namespace ntblab::sim
