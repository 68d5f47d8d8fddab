// SPDX-License-Identifier: MIT
#include "lan.h"

#include <fmt/format.h>

#include "qemu_options.h"

namespace ntblab::lab {
namespace {

constexpr int kReconnectMilliseconds = 200;

std::string server(const std::string& id, const std::filesystem::path& socket) {
    return fmt::format("stream,id={},server=on,addr.type=unix,addr.path={}", id, option_value(socket));
}

}  // namespace

std::vector<std::string> lan_options(const topology::Topology& topology, std::size_t node,
                                     const ClusterPaths& paths) {
    const std::size_t nodes = topology.nodes.size();
    if (!topology.lan || nodes < 2) return {};
    if (node > 0)
        return {"-netdev", fmt::format("stream,id=lan,server=off,reconnect-ms={},addr.type=unix,addr.path={}",
                                       kReconnectMilliseconds,
                                       option_value(paths.lan_socket(static_cast<unsigned>(node + 1))))};
    if (nodes == 2) return {"-netdev", server("lan", paths.lan_socket(2))};
    std::vector<std::string> result = {"-netdev", "hubport,id=lan,hubid=0"};
    for (unsigned index = 2; index <= nodes; ++index) {
        const std::string stream = fmt::format("lan{}", index);
        result.insert(result.end(), {"-netdev", server(stream, paths.lan_socket(index)), "-netdev",
                                     fmt::format("hubport,id=hub{},hubid=0,netdev={}", index, stream)});
    }
    return result;
}

}  // namespace ntblab::lab
