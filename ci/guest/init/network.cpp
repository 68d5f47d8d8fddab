// SPDX-License-Identifier: MIT
#include "network.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/route.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "endpoints.h"

namespace ntblab::guest {
namespace {

constexpr auto management_mac = "52:54:00:4d:00:";
constexpr auto lan_mac = "52:54:00:4c:00:";
constexpr auto management_address = "10.0.2.15/24";  // QEMU's user-mode network
constexpr auto management_gateway = "10.0.2.2";

ifreq request_for(const std::string& name) {
    ifreq request{};
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    return request;
}

void put_address(sockaddr& target, in_addr address) {
    sockaddr_in value{};
    value.sin_family = AF_INET;
    value.sin_addr = address;
    std::memcpy(&target, &value, sizeof(target));
}

Role read_role(const std::string& name) {
    const std::filesystem::path interface = "/sys/class/net/" + name;
    std::error_code error;
    const auto driver = std::filesystem::read_symlink(interface / "device/driver", error).filename().string();
    return role_of(name, read_file(interface / "address"), driver);
}

// False also for an interface that is down, whose carrier cannot be read.
bool has_carrier(const std::string& name) {
    return read_file("/sys/class/net/" + name + "/carrier") == "1\n";
}

}  // namespace

std::optional<Address> parse_address(const std::string& text) {
    const auto slash = text.find('/');
    if (slash == std::string::npos) return std::nullopt;
    Address address{};
    unsigned length = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, length);
    if (error != std::errc() || rest != end || length > 32) return std::nullopt;
    if (inet_pton(AF_INET, text.substr(0, slash).c_str(), &address.host) != 1) return std::nullopt;
    address.netmask.s_addr = length == 0 ? 0 : htonl(~0U << (32 - length));
    return address;
}

Role role_of(std::string_view name, std::string_view mac, std::string_view driver) {
    if (name == "ropcie0") return Role::rdma;  // its parent is the NTB's PCI device, whose driver is another
    if (driver == "ntb_netdev") return Role::ntb;
    if (mac.starts_with(management_mac)) return Role::management;
    if (mac.starts_with(lan_mac)) return Role::lan;
    return Role::other;
}

Network::Network(const Config& config)
    : config_(config),
      netlink_(socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE)),
      control_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK;
    for (const auto& network : config_.networks) reject(network);
    if (bind(netlink_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) request_all();
}

Network::~Network() {
    close(netlink_);
    close(control_);
}

// Has the kernel send a message for every interface there is, as it does when one changes.
void Network::request_all() {
    struct {
        nlmsghdr header;
        ifinfomsg body;
    } request{};
    request.header.nlmsg_len = sizeof(request);
    request.header.nlmsg_type = RTM_GETLINK;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    send(netlink_, &request, sizeof(request), 0);
}

std::vector<std::string> Network::handle_events() {
    std::vector<std::string> up;
    alignas(nlmsghdr) std::array<char, 32768> buffer{};
    while (true) {
        const ssize_t n = recv(netlink_, buffer.data(), buffer.size(), 0);
        if (n < 0 && errno == ENOBUFS) {  // events were lost: look at everything
            request_all();
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return up;
        auto left = static_cast<unsigned>(n);
        for (auto* message = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(message, left);
             message = NLMSG_NEXT(message, left))
            handle(*message, up);
    }
}

void Network::handle(const nlmsghdr& message, std::vector<std::string>& up) {
    if (message.nlmsg_type != RTM_NEWLINK && message.nlmsg_type != RTM_DELLINK) return;
    const auto& link = *static_cast<const ifinfomsg*>(NLMSG_DATA(&message));
    const int index = link.ifi_index;
    if (message.nlmsg_type == RTM_DELLINK) {
        known_.erase(index);
        running_.erase(index);
        return;
    }
    std::array<char, IF_NAMESIZE> name{};
    if (if_indextoname(static_cast<unsigned>(index), name.data()) == nullptr) return;  // gone since
    if (known_.insert(index).second) set_up(name.data());
    if_indextoname(static_cast<unsigned>(index), name.data());  // set_up may have renamed it
    // What counts is the carrier now, not the flags of the event: an interface starts with a carrier that its
    // driver takes away when it is opened.
    if (!has_carrier(name.data())) {
        running_.erase(index);
    } else if ((link.ifi_flags & IFF_LOOPBACK) == 0U && running_.insert(index).second) {
        up.emplace_back(name.data());
    }
}

void Network::set_up(std::string name) {
    const auto rename = [&](const char* wanted) {
        auto request = request_for(name);
        std::strncpy(request.ifr_newname, wanted, IFNAMSIZ - 1);
        if (ioctl(control_, SIOCSIFNAME, &request) == 0) name = wanted;
    };
    switch (read_role(name)) {
        case Role::management:
            rename("mgmt0");
            if (assign(name, management_address) && bring_up(name)) add_default_route(management_gateway);
            break;
        case Role::lan:
            rename("lan0");
            assign(name, config_.lan_address);
            bring_up(name);
            break;
        case Role::rdma:
            assign(name, config_.rdma_address);
            bring_up(name);
            break;
        case Role::ntb:
            if (const auto endpoint = endpoint_under("/sys", name);
                endpoint && *endpoint < config_.addresses.size())
                assign(name, config_.addresses[*endpoint]);
            bring_up(name);
            break;
        case Role::other:
            if (name == "lo") bring_up(name);
            break;
    }
}

bool Network::assign(const std::string& name, const std::string& address) {
    const auto parsed = parse_address(address);
    if (!parsed) return false;
    auto request = request_for(name);
    put_address(request.ifr_addr, parsed->host);
    if (ioctl(control_, SIOCSIFADDR, &request) != 0) return false;
    put_address(request.ifr_netmask, parsed->netmask);
    return ioctl(control_, SIOCSIFNETMASK, &request) == 0;
}

bool Network::bring_up(const std::string& name) {
    auto request = request_for(name);
    if (ioctl(control_, SIOCGIFFLAGS, &request) != 0) return false;
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    return ioctl(control_, SIOCSIFFLAGS, &request) == 0;
}

void Network::add_default_route(const char* gateway) {
    rtentry route{};
    in_addr address{};
    inet_pton(AF_INET, gateway, &address);
    put_address(route.rt_gateway, address);
    put_address(route.rt_dst, in_addr{});
    put_address(route.rt_genmask, in_addr{});
    route.rt_flags = RTF_UP | RTF_GATEWAY;
    ioctl(control_, SIOCADDRT, &route);
}

void Network::reject(const std::string& network) {
    const auto parsed = parse_address(network);
    if (!parsed) return;
    rtentry route{};
    put_address(route.rt_dst, parsed->host);
    put_address(route.rt_genmask, parsed->netmask);
    route.rt_flags = RTF_UP | RTF_REJECT;
    ioctl(control_, SIOCADDRT, &route);
}

}  // namespace ntblab::guest
