// SPDX-License-Identifier: MIT
#include "switch.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace fabric {

namespace wire = ntblink::wire;
using ntblink::Transfer;

namespace {

constexpr std::uint64_t bit(unsigned partition) {
    return std::uint64_t{1} << partition;
}

}  // namespace

Switch::Switch(const SwitchConfig& config, ntblink::SharedSwitch shared)
    : config_(config),
      shared_(std::move(shared)),
      holders_(config.chip.partitions.size()),
      ram_(config.chip.partitions.size()) {}

ntblab::Result<Switch> Switch::create(const SwitchConfig& config) {
    auto shared = ntblink::SharedSwitch::create(config.name, config.chip);
    if (!shared) return tl::unexpected(shared.error());
    return Switch(config, std::move(*shared));
}

ntblab::Result<switchtec::PartitionConfig> Switch::configuration_for(const wire::Hello& hello) const {
    const unsigned partition = hello.partition;
    if (partition >= partitions()) {
        return ntblab::fail(fmt::format("switch {} has partitions 0 to {}, there is no partition {}", name(),
                                        partitions() - 1, partition));
    }
    if (config_.nodes.at(partition).empty()) {
        return ntblab::fail(
            fmt::format("partition {} of switch {} has no NT endpoint in the topology", partition, name()));
    }
    if (const Connection* taken = holder(partition)) {
        return ntblab::fail(
            fmt::format("partition {} of switch {} is already attached, by process {}; stop that one first",
                        partition, name(), taken->pid));
    }
    switchtec::PartitionConfig config = config_.chip.partitions[partition];
    if (hello.bar2_size != 0) config.bar2_size = hello.bar2_size;
    if (hello.bar4_size != 0) config.bar4_size = hello.bar4_size;
    if (hello.vectors != 0) config.vectors = hello.vectors;
    return config;
}

ntblab::Result<void> Switch::attach(Connection& connection, const wire::Hello& hello) {
    const auto config = configuration_for(hello);
    if (!config) return tl::unexpected(config.error());
    const unsigned partition = hello.partition;
    {
        auto guard = shared_.lock();
        auto& chip = guard.chip();
        if (auto configured = chip.configure(partition, *config); !configured) {
            return ntblab::fail(fmt::format("switch {}: {}", name(), configured.error().message));
        }
        chip.attach(partition);
        // It has nothing mapped yet, so nobody need wait for it; it looks at its windows first thing.
        chip.windows_applied(partition, chip.window_generation(partition));
        guard.ram_applied(partition) = ram_.epoch();
        guard.waiters() &= ~bit(partition);
        chip.take_wakeups();
    }
    shared_.slot(partition).read_misses.store(0);
    shared_.slot(partition).write_misses.store(0);
    shared_.slot(partition).askers.store(0);
    holders_[partition] = &connection;
    connection.state = Connection::State::attached;
    connection.sw = this;
    connection.partition = partition;
    connection.untold = ram_.owners(partition);
    if (welcome(connection)) {
        spdlog::info("{} partition {} ({}): attached by process {}", name(), partition,
                     config_.nodes[partition], connection.pid);
    } else {
        connection.state = Connection::State::broken;
    }
    shared_.wake_all();
    return {};
}

bool Switch::welcome(Connection& connection) {
    auto message = wire::make<wire::Welcome>();
    message.version = wire::kVersion;
    message.partitions = partitions();
    message.segment_size = shared_.size();
    message.epoch = ram_.epoch_told(connection.partition, connection.untold);
    std::vector<int> fds{shared_.memory_fd()};
    for (unsigned partition = 0; partition < partitions(); ++partition)
        fds.push_back(shared_.event_fd(partition));
    return ntblink::send_message(connection.socket.get(), message, fds) == Transfer::done;
}

void Switch::detach(Connection& connection) {
    const unsigned partition = connection.partition;
    {
        auto guard = shared_.lock();
        guard.chip().detach(partition);
        guard.waiters() &= ~bit(partition);
        guard.chip().take_wakeups();
    }
    connection.state = Connection::State::detached;
    connection.untold = 0;
    change_ram(partition, wire::kEverybody, {});
    // The process may have died between changing the chip and telling whom that concerns.
    shared_.wake_all();
}

void Switch::leave(Connection& connection) {
    Connection*& seat = holders_[connection.partition];
    if (seat == &connection) seat = nullptr;
}

ntblab::Result<wire::Done> Switch::set_ram(Connection& connection, const wire::RamTable& message,
                                           std::vector<ntblab::UniqueFd> fds) {
    auto table = ntblink::RamTable::receive(message, std::move(fds));
    if (!table) return tl::unexpected(table.error());
    const std::uint64_t changed = change_ram(connection.partition, message.viewers, std::move(*table));
    return done(connection, changed);
}

wire::Done Switch::done(const Connection& connection, std::uint64_t changed) const {
    auto message = wire::make<wire::Done>();
    message.epoch = ram_.epoch_told(connection.partition, connection.untold);
    message.changed = changed;
    return message;
}

std::uint64_t Switch::change_ram(unsigned owner, std::uint64_t viewers, ntblink::RamTable table) {
    viewers &= ~bit(owner);
    const std::uint64_t epoch = ram_.change(owner, viewers, std::move(table));
    {
        auto guard = shared_.lock();
        for (unsigned viewer = 0; viewer < partitions(); ++viewer) {
            if ((viewers & bit(viewer)) != 0) guard.ram_epoch(viewer) = epoch;
        }
    }
    for (Connection* viewer : holders_) {
        if (viewer == nullptr || viewer->state != Connection::State::attached) continue;
        if ((viewers & bit(viewer->partition)) == 0) continue;
        viewer->untold |= bit(owner);
        tell(*viewer);
    }
    return epoch;
}

void Switch::tell(Connection& connection) {
    while (connection.untold != 0) {
        const auto owner = static_cast<unsigned>(__builtin_ctzll(connection.untold));
        const RamShares::Share& share = ram_.share(owner, connection.partition);
        auto message = wire::make<wire::RamTable>();
        message.partition = owner;
        message.count = static_cast<std::uint32_t>(share.table->ranges().size());
        message.viewers = bit(connection.partition);
        message.epoch = ram_.epoch_told(connection.partition, connection.untold & ~bit(owner));
        switch (ntblink::send_message(connection.socket.get(), message, share.table->descriptors())) {
            case Transfer::done:
                connection.untold &= ~bit(owner);
                break;
            case Transfer::would_block:
            case Transfer::closed:
            case Transfer::malformed:
                // Later; or never: its end is seen, and handled, where its socket is read.
                return;
        }
    }
}

}  // namespace fabric
