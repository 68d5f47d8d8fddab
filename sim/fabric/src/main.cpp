// SPDX-License-Identifier: MIT
#include <fabric/fabric.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <topology/topology.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

switchtec::Function function_of(const ntblab::topology::Partition& partition) {
    if (!partition.node) return switchtec::Function::None;
    return partition.peer ? switchtec::Function::Nt : switchtec::Function::Management;
}

fabric::FabricConfig config_of(const ntblab::topology::Topology& topology) {
    fabric::FabricConfig config;
    for (const auto& sw : topology.switches) {
        fabric::SwitchConfig to{sw.name, {}, {}};
        to.chip.vendor_id = sw.vendor_id;
        to.chip.device_id = sw.device_id;
        for (const auto& partition : sw.partitions) {
            switchtec::PartitionConfig endpoint;
            endpoint.bar2_size = partition.windows.bar2;
            endpoint.bar4_size = partition.windows.bar4;
            endpoint.targets = partition.peer ? std::uint64_t{1} << *partition.peer : 0;
            endpoint.lut_entries = static_cast<std::uint16_t>(partition.windows.lut_entries);
            endpoint.link_generation = static_cast<std::uint8_t>(partition.link.generation);
            endpoint.link_width = static_cast<std::uint8_t>(partition.link.width);
            endpoint.vectors = static_cast<std::uint8_t>(partition.vectors);
            endpoint.function = function_of(partition);
            if (partition.dma != 0 && partition.dma_listed)
                endpoint.dma_devfn = static_cast<std::uint8_t>(sw.dma_function());
            to.chip.partitions.push_back(endpoint);
            to.nodes.push_back(partition.node ? topology.nodes[*partition.node].name : std::string());
        }
        config.switches.push_back(std::move(to));
    }
    return config;
}

ntblab::Result<void> serve(const std::string& topology_file, const std::string& run_dir_path, int ready_fd) {
    const auto topology = ntblab::topology::load(topology_file);
    if (!topology) return tl::unexpected(topology.error());
    auto run_dir = fabric::RunDir::take(run_dir_path);
    if (!run_dir) return tl::unexpected(run_dir.error());
    spdlog::info("cluster {}: listening on {}", topology->name, run_dir->socket_path());
    auto fab = fabric::Fabric::create(config_of(*topology), std::move(*run_dir));
    if (!fab) return tl::unexpected(fab.error());
    if (ready_fd >= 0) {
        if (::write(ready_fd, "\n", 1) != 1) {
            return ntblab::fail(fmt::format("--ready-fd {}: {}", ready_fd, std::strerror(errno)));
        }
        ::close(ready_fd);
    }
    auto ended = fab->run();
    if (ended) spdlog::info("cluster {}: stopped by a signal", topology->name);
    return ended;
}

int run(int argc, char** argv) {
    spdlog::set_default_logger(spdlog::stderr_logger_st("ntb-fabric"));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l: %v");
    spdlog::flush_on(spdlog::level::trace);

    CLI::App app{
        "Owns the switches of one cluster: hands their memory to the virtual machines, sees them come and "
        "go"};
    std::string topology;
    std::string run_dir;
    int ready_fd = -1;
    app.add_option("--topology", topology, "Topology file of the cluster")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--run-dir", run_dir, "Directory for fabric.sock, made with mode 0700 if absent")
        ->required();
    app.add_option("--ready-fd", ready_fd, "Descriptor that gets a newline once the socket listens")
        ->check(CLI::NonNegativeNumber);
    CLI11_PARSE(app, argc, argv);

    if (auto served = serve(topology, run_dir, ready_fd); !served) {
        spdlog::error("{}", served.error().message);
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ntb-fabric: %s\n", error.what());
        return 2;
    }
}
