// SPDX-License-Identifier: MIT
// One node's virtual machine.
#pragma once

#include <ntblab/result.h>

#include "plan.h"
#include "process.h"

namespace ntblab::lab {

/// Writes what the guest is told, makes its logs.
Result<void> prepare_vm(const Plan& plan, std::size_t node);

/// Starts its QEMU; `prepare_vm` has been called and the fabric listens.
Result<Child> start_vm(const Plan& plan, std::size_t node);

/// What `state.json` says of a node that has just been started.
NodeState describe_node(const topology::Topology& topology, std::size_t node, const ProcessId& qemu);

/// Port of this machine that leads to the guest's ssh; QEMU chose it.
Result<unsigned> find_ssh_port(const NodePaths& files);

}  // namespace ntblab::lab
