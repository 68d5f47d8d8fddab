// SPDX-License-Identifier: MIT
#include "server.h"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace fabric {

using ntblink::Transfer;

namespace {

/// Far beyond what a cluster has; what comes beyond is closed, so that no client uses up the descriptors.
constexpr std::size_t kMaxConnections = 4096;

tl::unexpected<ntblab::Error> failure(const char* what) {
    return ntblab::fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

// Raises the limit of open descriptors; returns how many connections leave enough of them for everything
// else.
std::size_t connection_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return std::min<std::size_t>(kMaxConnections, limit.rlim_cur / 4);
}

}  // namespace

ntblab::Result<void> Fabric::Server::power_up(const FabricConfig& config) {
    connection_limit_ = connection_limit();
    for (const SwitchConfig& sw : config.switches) {
        const auto same = [&](const Switch& other) { return other.name() == sw.name; };
        if (std::any_of(switches_.begin(), switches_.end(), same)) {
            return ntblab::fail(
                fmt::format("two switches are named {}; every switch needs a name of its own", sw.name));
        }
        auto created = Switch::create(sw);
        if (!created) return tl::unexpected(created.error());
        switches_.push_back(std::move(*created));
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!signals_ || !epoll_) return failure("creating the event loop");
    if (auto watched = watch(signals_.get()); !watched) return watched;
    return watch(run_dir_.listener());
}

ntblab::Result<void> Fabric::Server::watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return failure("watching a descriptor");
    return {};
}

ntblab::Result<void> Fabric::Server::run() {
    for (;;) {
        std::array<epoll_event, 64> events;
        const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
        if (count < 0 && errno != EINTR) return failure("waiting for events");
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events[static_cast<std::size_t>(i)];
            if (event.data.fd == signals_.get()) return {};
            if (event.data.fd == run_dir_.listener()) {
                accept_all();
            } else if (const auto found = connections_.find(event.data.fd); found != connections_.end()) {
                serve(*found->second, event.events);
            }
        }
        // Only here, so that no descriptor of this round's events is closed and given to another connection.
        drop_broken();
        watch_output();
    }
}

void Fabric::Server::accept_all() {
    for (;;) {
        ntblab::UniqueFd socket(
            ::accept4(run_dir_.listener(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) return;
        ucred peer{};
        socklen_t size = sizeof(peer);
        if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) continue;
        if (peer.uid != ::geteuid()) {
            spdlog::warn("process {} of user {} turned away", peer.pid, peer.uid);
            continue;
        }
        if (connections_.size() >= connection_limit_ || !watch(socket.get())) {
            spdlog::warn("process {} turned away: {} connections are open", peer.pid, connections_.size());
            continue;
        }
        const int fd = socket.get();
        auto connection = std::make_unique<Connection>();
        connection->socket = std::move(socket);
        connection->pid = peer.pid;
        connections_.emplace(fd, std::move(connection));
    }
}

void Fabric::Server::serve(Connection& connection, std::uint32_t events) {
    if ((events & EPOLLOUT) != 0 && connection.state == Connection::State::attached)
        connection.sw->tell(connection);
    if ((events & ~std::uint32_t{EPOLLOUT}) == 0) return;
    while (connection.state != Connection::State::broken) {
        ntblink::Received received = ntblink::receive_packet(connection.socket.get());
        switch (received.status) {
            case Transfer::done:
                handle(connection, received.packet);
                break;
            case Transfer::would_block:
                return;
            case Transfer::closed:
                return drop(connection);
            case Transfer::malformed:
                reject(connection, "a message is longer than any of this protocol, or lost its descriptors");
        }
    }
}

void Fabric::Server::drop(Connection& connection) {
    if (connection.state == Connection::State::attached) {
        connection.sw->detach(connection);
        spdlog::warn("{} partition {}: process {} is gone without detaching; its link is down",
                     connection.sw->name(), connection.partition, connection.pid);
    }
    if (connection.sw != nullptr) connection.sw->leave(connection);
    connection.state = Connection::State::broken;
}

void Fabric::Server::drop_broken() {
    for (auto it = connections_.begin(); it != connections_.end();) {
        it = it->second->state == Connection::State::broken ? connections_.erase(it) : std::next(it);
    }
}

void Fabric::Server::watch_output() {
    for (auto& [fd, connection] : connections_) {
        const bool wanted = connection->untold != 0;
        if (wanted == connection->watching_output) continue;
        epoll_event event{};
        event.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
        event.data.fd = fd;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
        connection->watching_output = wanted;
    }
}

Fabric::Fabric(std::unique_ptr<Server> server) : server_(std::move(server)) {}
Fabric::Fabric(Fabric&&) noexcept = default;
Fabric& Fabric::operator=(Fabric&&) noexcept = default;
Fabric::~Fabric() = default;

ntblab::Result<Fabric> Fabric::create(const FabricConfig& config, RunDir run_dir) {
    auto server = std::make_unique<Server>(std::move(run_dir));
    if (auto up = server->power_up(config); !up) return tl::unexpected(up.error());
    return Fabric(std::move(server));
}

ntblab::Result<void> Fabric::run() {
    return server_->run();
}

}  // namespace fabric
