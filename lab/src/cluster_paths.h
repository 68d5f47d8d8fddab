// SPDX-License-Identifier: MIT
// The files of a running cluster. Names only: nothing here touches the file system.
//
//     ClusterPaths cluster{run_base() / "pair"};
//     cluster.node("a").console_log();   // <run base>/pair/a/console.log
#pragma once

#include <filesystem>
#include <string>

namespace ntblab::lab {

/// Environment variable that every process of a cluster carries; its value is the cluster's directory.
inline constexpr const char* kClusterMark = "NTBLAB_CLUSTER_DIR";

struct NodePaths {
    std::filesystem::path dir;

    std::filesystem::path console_log() const { return dir / "console.log"; }
    std::filesystem::path console_socket() const { return dir / "console.sock"; }
    std::filesystem::path status_log() const { return dir / "status.log"; }
    std::filesystem::path qmp_socket() const { return dir / "qmp.sock"; }
    std::filesystem::path gdb_socket() const { return dir / "gdb.sock"; }
    std::filesystem::path qemu_log() const { return dir / "qemu.log"; }
    /// Empty but for `ntblab trace`.
    std::filesystem::path trace_log() const { return dir / "trace.log"; }
    std::filesystem::path config() const { return dir / "config"; }
    std::filesystem::path hosts() const { return dir / "hosts"; }
    std::filesystem::path ssh_log() const { return dir / "ssh.log"; }
    /// Control socket of the ssh connection to the guest's `boot`-th boot: a connection does not outlive a
    /// boot.
    std::filesystem::path ssh_socket(unsigned boot) const { return dir / ("ssh" + std::to_string(boot)); }
};

struct ClusterPaths {
    std::filesystem::path dir;

    std::string name() const { return dir.filename(); }
    NodePaths node(const std::string& name) const { return {dir / name}; }
    std::filesystem::path state() const { return dir / "state.json"; }
    std::filesystem::path topology() const { return dir / "topology.yaml"; }
    std::filesystem::path fabric_socket() const { return dir / "fabric.sock"; }
    std::filesystem::path fabric_log() const { return dir / "fabric.log"; }
    std::filesystem::path ssh_key() const { return dir / "ssh_key"; }
    std::filesystem::path ssh_host_key() const { return dir / "ssh_host_key"; }
    std::filesystem::path authorized_keys() const { return dir / "ssh_key.pub"; }
    std::filesystem::path known_hosts() const { return dir / "known_hosts"; }
    std::filesystem::path lan_socket(unsigned index) const {
        return dir / ("lan" + std::to_string(index) + ".sock");  // "lan2" may be a node
    }
};

}  // namespace ntblab::lab
