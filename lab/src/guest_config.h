// SPDX-License-Identifier: MIT
// What a guest is told about itself, as the files of opt/ntblab that its init reads through fw_cfg.
#pragma once

#include <string>

#include "topology/topology.h"

namespace ntblab::lab {

/// opt/ntblab/config: lines KEY='value' as a shell sources them. NTBLAB_ADDRESSES has one for
/// each NT endpoint, in the order of their PCI addresses; NTBLAB_RDMA_ADDRESS is that of ropcie over all of
/// them; NTBLAB_NETWORKS are those that lead nowhere else. NTBLAB_SHARE is the tag of the 9p file system for
/// /share, "" for none.
std::string guest_config(const topology::Topology& topology, std::size_t node, const std::string& share = "");

/// The 9p tag under which guests find the host's directory.
inline constexpr const char* kShareTag = "ntblab.share";

/// opt/ntblab/hosts: the whole /etc/hosts of the node. A neighbour's name is its address at ropcie where both
/// load it, else at the first NT pair that joins the two; another node's is its LAN address. NAME.lan is
/// always the LAN address, NAME.rdma that of ropcie.
std::string guest_hosts(const topology::Topology& topology, std::size_t node);

}  // namespace ntblab::lab
