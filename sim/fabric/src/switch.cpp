// SPDX-License-Identifier: MIT
#include "switch.h"

#include <fmt/format.h>
#include <ntblink/ram_table.h>
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
    : config_(config), shared_(std::move(shared)), seats_(config.chip.partitions.size()) {}

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
        guard.ram_applied(partition) = ram_epoch_;
        guard.waiters() &= ~bit(partition);
        chip.take_wakeups();
    }
    shared_.slot(partition).read_misses.store(0);
    shared_.slot(partition).write_misses.store(0);
    seats_[partition].holder = &connection;
    connection.state = Connection::State::attached;
    connection.sw = this;
    connection.partition = partition;
    connection.untold = partitions_with_ram_except(partition);
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
    message.epoch = epoch_told(connection.untold);
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
    if (seats_[partition].ram.count != 0) change_ram(partition, wire::make<wire::RamTable>(), {});
    // The process may have died between changing the chip and telling whom that concerns.
    shared_.wake_all();
}

void Switch::leave(Connection& connection) {
    Seat& seat = seats_[connection.partition];
    if (seat.holder == &connection) seat.holder = nullptr;
}

ntblab::Result<wire::Done> Switch::set_ram(Connection& connection, const wire::RamTable& table,
                                           std::vector<ntblab::UniqueFd> fds) {
    if (auto checked = ntblink::check_ram_table(table, fds); !checked) return tl::unexpected(checked.error());
    auto done = wire::make<wire::Done>();
    done.changed = change_ram(connection.partition, table, std::move(fds));
    done.epoch = epoch_told(connection.untold);
    return done;
}

std::uint64_t Switch::change_ram(unsigned partition, const wire::RamTable& table,
                                 std::vector<ntblab::UniqueFd> fds) {
    Seat& seat = seats_[partition];
    seat.ram = table;
    seat.ram.partition = partition;
    seat.ram_fds = std::move(fds);
    seat.ram_epoch = ++ram_epoch_;
    shared_.lock().ram_epoch() = ram_epoch_;
    for (const Seat& other : seats_) {
        if (other.holder == nullptr || other.holder->state != Connection::State::attached) continue;
        if (other.holder->partition == partition) continue;
        other.holder->untold |= bit(partition);
        tell(*other.holder);
    }
    return ram_epoch_;
}

std::uint64_t Switch::epoch_told(std::uint64_t untold) const {
    std::uint64_t epoch = ram_epoch_;
    for (unsigned partition = 0; partition < partitions(); ++partition) {
        if ((untold & bit(partition)) != 0) epoch = std::min(epoch, seats_[partition].ram_epoch - 1);
    }
    return epoch;
}

std::uint64_t Switch::partitions_with_ram_except(unsigned partition) const {
    std::uint64_t with_ram = 0;
    for (unsigned other = 0; other < partitions(); ++other) {
        if (other != partition && seats_[other].ram.count != 0) with_ram |= bit(other);
    }
    return with_ram;
}

void Switch::tell(Connection& connection) {
    while (connection.untold != 0) {
        const auto partition = static_cast<unsigned>(__builtin_ctzll(connection.untold));
        const Seat& seat = seats_[partition];
        wire::RamTable message = seat.ram;
        message.epoch = epoch_told(connection.untold & ~bit(partition));
        std::vector<int> fds;
        for (const auto& fd : seat.ram_fds) fds.push_back(fd.get());
        switch (ntblink::send_message(connection.socket.get(), message, fds)) {
            case Transfer::done:
                connection.untold &= ~bit(partition);
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
