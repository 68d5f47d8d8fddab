// SPDX-License-Identifier: MIT
// What the host tells a guest about itself.
//
//     auto config = parse_config(read_file("/sys/firmware/qemu_fw_cfg/by_name/opt/ntblab/config/raw"));
//     sethostname(config.node.c_str(), config.node.size());
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ntblab::guest {

struct Config {
    std::string cluster;
    std::string node = "guest";
    // Of the interfaces over the NT endpoints, in the order of the endpoints' PCI addresses, as
    // "10.77.0.1/24".
    std::vector<std::string> addresses;
    std::string lan_address;   // of lan0, likewise; empty: none
    std::string rdma_address;  // of ropcie's, likewise
    // Of the cluster, as "10.77.0.0/16": addresses there are reached by its interfaces or not at all.
    std::vector<std::string> networks;
    std::string share;                 // tag of the 9p file system for /share; empty: none
    std::vector<std::string> modules;  // loaded in this order at boot
};

/// Reads lines KEY='value' as a shell would source them (without expansions). Unknown keys are left alone; a
/// missing NTBLAB_MODULES means the NTB driver and its network device, an empty one means none.
Config parse_config(std::string_view text);

/// The whole of a file, "" when it cannot be read.
std::string read_file(const std::string& path);

/// Writes a file anew with the given permissions. @return false with errno set when that failed.
bool write_file(const std::string& path, std::string_view text, unsigned mode);

}  // namespace ntblab::guest
