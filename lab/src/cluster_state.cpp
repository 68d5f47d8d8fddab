// SPDX-License-Identifier: MIT
#include "cluster_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files.h"

namespace ntblab::lab {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProcessId, pid, start)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeState, name, index, qemu, ssh_port, address, lan_address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClusterState, topology, accelerator, share, kernel, guest_suite, gdb,
                                   started, ready, holder, activity, fabric, nodes)

NodeState* ClusterState::find(const std::string& node) {
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const NodeState& n) { return n.name == node; });
    return found == nodes.end() ? nullptr : &*found;
}

const NodeState* ClusterState::find(const std::string& node) const {
    return const_cast<ClusterState*>(this)->find(node);
}

Result<ClusterState> load_state(const ClusterPaths& paths) {
    const auto text = read_file(paths.state());
    if (!text) return tl::unexpected(text.error());
    try {
        return json::parse(*text).get<ClusterState>();
    } catch (const json::exception& error) {
        return fail(paths.state().string() + " cannot be understood (" + error.what() +
                    "); run `ntblab down " + paths.name() + "`");
    }
}

Result<void> save_state(const ClusterPaths& paths, const ClusterState& state) {
    return write_file(paths.state(), json(state).dump(2) + "\n");
}

}  // namespace ntblab::lab
