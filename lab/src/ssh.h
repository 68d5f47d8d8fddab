// SPDX-License-Identifier: MIT
// ssh to a node: one connection per boot of the guest, kept open in the background and shared by all
// commands.
//
//     Ssh ssh(paths, node);
//     if (auto ok = ssh.connect(); !ok) return ok.error();
//     auto child = spawn({.arguments = ssh.command("uname -r"), .environment = ssh.environment(), .output =
//     1});
#pragma once

#include <ntblab/result.h>

#include <string>
#include <vector>

#include "boots.h"
#include "cluster_paths.h"
#include "cluster_state.h"

namespace ntblab::lab {

class Ssh {
  public:
    Ssh(const ClusterPaths& cluster, const NodeState& node);

    /// Makes sure that there is a connection; waits for a guest that is booting. Errors: it does not run, or
    /// does not let us in.
    Result<void> connect();

    /// Whether there is one now.
    bool connected() const;

    /// The boot of the guest that the connection is to.
    const Boots& boots() const { return boots_; }
    const NodePaths& files() const { return files_; }

    /// The line that runs a command of the guest's shell through the connection; without one, a login shell.
    /// `terminal`: with a terminal of its own.
    std::vector<std::string> command(const std::string& line, bool terminal = false) const;
    /// The line that copies files through the connection by scp; `arguments` are scp's own, with this node's
    /// files as `address()` + path.
    std::vector<std::string> copy_command(const std::vector<std::string>& arguments) const;
    /// What stands before a path of the node in `copy_command`.
    static const char* address() { return "root@127.0.0.1:"; }
    /// For whatever `command` or `copy_command` is spawned.
    std::vector<std::string> environment() const;

    /// Runs a line and returns its standard output. Errors: it failed, or ssh did.
    Result<std::string> capture(const std::string& line) const;

  private:
    std::vector<std::string> options(const std::string& master) const;
    std::vector<std::string> base_command(const std::string& master) const;

    ClusterPaths cluster_;
    NodePaths files_;
    NodeState node_;
    Boots boots_;
    std::string socket_;
};

/// Makes the cluster's key, the guests' host key and the known_hosts file. Errors: no ssh-keygen; disk full.
Result<void> make_ssh_keys(const ClusterPaths& paths);

}  // namespace ntblab::lab
