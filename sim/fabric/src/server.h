// SPDX-License-Identifier: MIT
// The fabric's event loop: one thread, one epoll, no call that waits for a client.
#pragma once

#include <fabric/fabric.h>
#include <ntblink/packet.h>

#include <deque>
#include <memory>
#include <unordered_map>

#include "connection.h"
#include "switch.h"

namespace fabric {

class Fabric::Server {
  public:
    explicit Server(RunDir run_dir) : run_dir_(std::move(run_dir)) {}

    ntblab::Result<void> power_up(const FabricConfig& config);
    ntblab::Result<void> run();

  private:
    void accept_all();
    void serve(Connection& connection, std::uint32_t events);
    void handle(Connection& connection, ntblink::Packet& packet);
    void hello(Connection& connection, const ntblink::wire::Hello& message);
    void inspect(Connection& connection, const ntblink::wire::Inspect& message);
    void ram(Connection& connection, const ntblink::wire::RamTable& table, std::vector<ntblab::UniqueFd> fds);
    void detach(Connection& connection);
    template <typename M>
    void reply(Connection& connection, const M& message, std::span<const int> fds = {});
    void refuse(Connection& connection, const std::string& text);
    /// As `refuse`, and the conversation is over.
    void reject(Connection& connection, const std::string& text);
    void drop(Connection& connection);
    void drop_broken();
    void watch_output();
    ntblab::Result<void> watch(int fd);

    RunDir run_dir_;
    ntblab::UniqueFd epoll_;
    ntblab::UniqueFd signals_;
    std::size_t connection_limit_ = 0;
    std::deque<Switch> switches_;
    std::unordered_map<int, std::unique_ptr<Connection>> connections_;  ///< By their sockets.
};

}  // namespace fabric
