// SPDX-License-Identifier: MIT
// The guest's network interfaces, set up as they appear.
//
//     Network network(config);
//     poll(network.fd(), POLLIN);
//     for (const auto& name : network.handle_events()) report("net-up " + name);
//
// The management and LAN interfaces are known by their MAC address and renamed mgmt0 and lan0; an interface
// of ntb_netdev keeps the kernel's name and gets the address of the NT endpoint it works over, that of ropcie
// (which is called ropcie0) the node's RDMA address, also when the module is loaded again later. An address
// of the cluster whose interface is not there is unreachable: QEMU's user network, behind the default route,
// answers pings to anybody.
#pragma once

#include <netinet/in.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config.h"

struct nlmsghdr;

namespace ntblab::guest {

struct Address {
    in_addr host;
    in_addr netmask;
};

/// Reads "10.77.0.1/24". @return nothing when it is not an IPv4 address with a prefix length.
std::optional<Address> parse_address(const std::string& text);

enum class Role { other, management, lan, ntb, rdma };

/// What an interface is for. @param name the kernel's; @param mac as sysfs prints it; @param driver the
/// driver's name, "" if there is none.
Role role_of(std::string_view name, std::string_view mac, std::string_view driver);

class Network {
  public:
    explicit Network(const Config& config);
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    int fd() const { return netlink_; }
    /// Sets up the interfaces that have appeared. @return the names of those whose link has come up since the
    /// last call.
    std::vector<std::string> handle_events();

  private:
    void request_all();
    void handle(const nlmsghdr& message, std::vector<std::string>& up);
    void set_up(std::string name);
    bool assign(const std::string& name, const std::string& address);
    bool bring_up(const std::string& name);
    void add_default_route(const char* gateway);
    void reject(const std::string& network);

    const Config& config_;
    int netlink_;
    int control_;            // any socket, for the interface ioctls
    std::set<int> known_;    // indices of the interfaces set up, whatever for
    std::set<int> running_;  // those of them whose link is up
};

}  // namespace ntblab::guest
