// SPDX-License-Identifier: MIT
// The NT endpoints of the guest, as sysfs shows them.
//
//     const auto endpoint = endpoint_under("/sys", "eth0");
//     if (endpoint) assign("eth0", config.addresses[*endpoint]);
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace ntblab::guest {

/// Over which NT endpoint a network interface works, counted from 0 in the order of the endpoints' PCI
/// addresses. ntb_netdev (Linux 6.12) gives its interface the client device as parent, which is a child of
/// the NTB device, and that of the endpoint.
/// @param sysfs where sysfs is mounted. @return nothing when no NT endpoint is above the interface.
std::optional<std::size_t> endpoint_under(const std::filesystem::path& sysfs, const std::string& interface);

}  // namespace ntblab::guest
