// SPDX-License-Identifier: MIT
#include "handshake.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ntblink/packet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace ntblink {

namespace {

tl::unexpected<ntblab::Error> cannot_connect(const std::string& path, const std::string& reason) {
    return ntblab::fail(fmt::format("cannot reach the fabric at {}: {}", path, reason));
}

ntblab::Result<wire::Hello> make_hello(const NtbEndpointConfig& config) {
    auto hello = wire::make<wire::Hello>();
    const std::string name = config.switch_name;
    if (name.size() >= sizeof(hello.switch_name)) {
        return ntblab::fail(fmt::format("switch name '{}' has {} characters, at most {} are allowed", name,
                                        name.size(), sizeof(hello.switch_name) - 1));
    }
    hello.magic = wire::kMagic;
    hello.version = wire::kVersion;
    hello.partition = config.partition;
    hello.bar2_size = config.bar2_size;
    hello.bar4_size = config.bar4_size;
    hello.vectors = config.vectors;
    put_text(hello.switch_name, name);
    return hello;
}

ntblab::Result<Session> take_welcome(ntblab::UniqueFd socket, Packet& packet, const wire::Welcome& welcome) {
    if (welcome.version != wire::kVersion) {
        return ntblab::fail(
            fmt::format("the fabric speaks protocol {}, this endpoint {}", welcome.version, wire::kVersion));
    }
    if (packet.fds.size() != 1 + std::size_t{welcome.partitions} ||
        welcome.partitions > switchtec::kMaxPartitions) {
        return ntblab::fail(
            fmt::format("the fabric's welcome for {} partitions carries {} descriptors, expected {}",
                        welcome.partitions, packet.fds.size(), 1 + std::size_t{welcome.partitions}));
    }
    ntblab::UniqueFd memory = std::move(packet.fds.front());
    packet.fds.erase(packet.fds.begin());
    auto shared = SharedSwitch::open(std::move(memory), std::move(packet.fds));
    if (!shared) return tl::unexpected(shared.error());
    if (shared->size() != welcome.segment_size) {
        return ntblab::fail(fmt::format("the switch memory has {} bytes, the fabric said {}", shared->size(),
                                        welcome.segment_size));
    }
    return Session{std::move(socket), std::move(*shared), welcome.epoch};
}

}  // namespace

ntblab::Result<ntblab::UniqueFd> connect_to_fabric(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return cannot_connect(
            path, fmt::format("the path has {} characters, a socket's has at most {}; use a shorter run "
                              "directory",
                              path.size(), sizeof(address.sun_path) - 1));
    }
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ntblab::UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!socket) return cannot_connect(path, std::strerror(errno));
    const timeval limit{kAnswerLimit.count(), 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        const bool absent = errno == ENOENT || errno == ECONNREFUSED;
        return cannot_connect(
            path, fmt::format("{}{}", std::strerror(errno), absent ? "; is ntb-fabric running?" : ""));
    }
    ucred peer{};
    socklen_t size = sizeof(peer);
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return cannot_connect(path, std::strerror(errno));
    }
    if (peer.uid != ::geteuid()) {
        return cannot_connect(path,
                              fmt::format("it runs as user {}, this process as {}", peer.uid, ::geteuid()));
    }
    ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    return socket;
}

bool wait_readable(int socket) {
    pollfd entry{socket, POLLIN, 0};
    const auto limit = std::chrono::steady_clock::now() + kAnswerLimit;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now());
        if (left.count() < 0) return false;
        const int ready = ::poll(&entry, 1, static_cast<int>(left.count()) + 1);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

ntblab::Result<Session> attach(const NtbEndpointConfig& config) {
    const std::string path = config.fabric_socket;
    auto hello = make_hello(config);
    if (!hello) return tl::unexpected(hello.error());
    auto socket = connect_to_fabric(path);
    if (!socket) return tl::unexpected(socket.error());
    if (send_message(socket->get(), *hello) != Transfer::done)
        return cannot_connect(path, "it closed the connection");
    if (!wait_readable(socket->get())) {
        return cannot_connect(path, fmt::format("no answer within {} s", kAnswerLimit.count()));
    }
    Received received = receive_packet(socket->get());
    if (received.status == Transfer::done) {
        if (const auto welcome = received.packet.as<wire::Welcome>()) {
            return take_welcome(std::move(*socket), received.packet, *welcome);
        }
        if (const auto refused = received.packet.as<wire::Refused>())
            return ntblab::fail(get_text(refused->text));
    }
    return cannot_connect(path, "its answer is not of this protocol; start both from one build");
}

}  // namespace ntblink
