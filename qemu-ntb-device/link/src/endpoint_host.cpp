// SPDX-License-Identifier: MIT
// What happens to an endpoint's host. What takes something away from the peers returns when they no longer
// have it; meanwhile this endpoint is serviced, so that two hosts that wait for each other both come through.
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "endpoint.h"

namespace ntblink {

namespace {

using Clock = std::chrono::steady_clock;

/// A peer that is alive unmaps within milliseconds, on a loaded machine within a second. One that is stopped
/// never does.
constexpr std::chrono::seconds kPeerLimit{10};

// Waits for `fd` to be readable; false: not before `limit`.
bool wait_until(int fd, Clock::time_point limit) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{fd, POLLIN, 0};
    ::poll(&entry, 1, static_cast<int>(left) + 1);
    return true;
}

struct RamMessage {
    wire::RamTable table = wire::make<wire::RamTable>();
    std::vector<int> fds;
    std::vector<HostRam> ram;
};

ntblab::Result<RamMessage> make_ram_message(std::span<const NtbRamRange> ranges, unsigned partition) {
    RamMessage message;
    if (ranges.size() > wire::kMaxRamRanges) {
        return ntblab::fail(fmt::format("this host has {} RAM ranges, at most {} can be shared",
                                        ranges.size(), wire::kMaxRamRanges));
    }
    message.table.partition = partition;
    message.table.count = static_cast<std::uint32_t>(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const NtbRamRange& range = ranges[i];
        struct stat status {};
        if (::fstat(range.fd, &status) != 0) {
            return ntblab::fail(fmt::format("RAM range at bus address {:#x}: descriptor {}: {}",
                                            range.address, range.fd, std::strerror(errno)));
        }
        auto known = std::find(message.fds.begin(), message.fds.end(), range.fd);
        if (known == message.fds.end()) known = message.fds.insert(known, range.fd);
        const auto index = static_cast<std::uint32_t>(known - message.fds.begin());
        message.table.ranges[i] = {range.address, range.size, range.fd_offset, index, 0};
        message.ram.push_back({range.address, range.size, range.fd_offset, status.st_dev, status.st_ino});
    }
    return message;
}

}  // namespace

template <typename F>
void Endpoint::wait_for_peers(std::uint64_t pending, F done) {
    const auto limit = Clock::now() + kPeerLimit;
    pending &= ~own_bit();
    for (;;) {
        service_once();
        if (lost_.load(std::memory_order_relaxed)) return;
        {
            Guard guard(shared_);
            for (unsigned peer = 0; peer < shared_.partitions(); ++peer) {
                const std::uint64_t bit = std::uint64_t{1} << peer;
                if ((pending & bit) != 0 && (!guard.chip().attached(peer) || done(guard, peer)))
                    pending &= ~bit;
            }
            if (pending == 0) {
                guard.waiters() &= ~own_bit();
                return;
            }
            guard.waiters() |= own_bit();
        }
        if (!wait_until(epoll_.get(), limit)) break;
    }
    fmt::print(stderr,
               "ntb-endpoint: partition {}: partitions {:#x} have not unmapped this host's memory within {} "
               "s; going on "
               "without them (are their processes stopped?)\n",
               partition_, pending, kPeerLimit.count());
}

void Endpoint::wait_for_settled_windows() {
    std::uint64_t everybody = 0;
    for (unsigned peer = 0; peer < shared_.partitions(); ++peer) everybody |= std::uint64_t{1} << peer;
    wait_for_peers(everybody, [](Guard& guard, unsigned peer) { return guard.chip().windows_settled(peer); });
}

void Endpoint::reset() {
    const std::lock_guard lock(service_mutex_);
    if (lost_.load(std::memory_order_relaxed)) return;
    on_chip([this](switchtec::Chip& chip) { chip.reset(partition_); });
    wait_for_settled_windows();
}

void Endpoint::set_bus_master(bool enabled) {
    const std::lock_guard lock(service_mutex_);
    if (lost_.load(std::memory_order_relaxed)) return;
    bool changed = false;
    on_chip([&](switchtec::Chip& chip) {
        changed = chip.bus_master(partition_) != enabled;
        if (changed) chip.set_bus_master(partition_, enabled);
    });
    if (changed && !enabled) wait_for_settled_windows();
}

void Endpoint::set_requester_id(std::uint16_t requester_id) {
    if (lost_.load(std::memory_order_relaxed)) return;
    on_chip([&](switchtec::Chip& chip) { chip.set_requester_id(partition_, requester_id); });
}

std::optional<ntblab::Result<wire::Done>> Endpoint::wait_for_answer() {
    const auto limit = Clock::now() + kAnswerLimit;
    for (;;) {
        service_once();
        if (answer_) return std::exchange(answer_, std::nullopt);
        if (lost_.load(std::memory_order_relaxed)) return std::nullopt;
        if (!wait_until(epoll_.get(), limit)) {
            lose(fmt::format("the fabric did not answer within {} s", kAnswerLimit.count()));
            return std::nullopt;
        }
    }
}

std::uint64_t Endpoint::partitions_with_windows_to_us() {
    std::uint64_t partitions = 0;
    Guard guard(shared_);
    for (unsigned peer = 0; peer < shared_.partitions(); ++peer) {
        if (peer == partition_) continue;
        const auto spans = guard.chip().windows(peer);
        const bool ours =
            std::any_of(spans.begin(), spans.end(), [&](const auto& s) { return s.target == partition_; });
        if (ours || !guard.chip().windows_settled(peer)) partitions |= std::uint64_t{1} << peer;
    }
    return partitions;
}

ntblab::Result<void> Endpoint::set_ram(std::span<const NtbRamRange> ranges) {
    const std::lock_guard lock(service_mutex_);
    auto message = make_ram_message(ranges, partition_);
    if (!message) return tl::unexpected(message.error());
    if (message->ram == published_ || lost_.load(std::memory_order_relaxed)) return {};

    if (send_message(socket_.get(), message->table, message->fds) != Transfer::done) {
        lose("the fabric does not take messages any more");
        return {};
    }
    // From here on for a call from ops that tells the same once more.
    const std::vector<HostRam> previous = std::exchange(published_, message->ram);
    const auto answer = wait_for_answer();
    if (!answer) return {};
    if (!*answer) {
        published_ = previous;
        return tl::unexpected(answer->error());
    }
    const bool takes_away = std::any_of(previous.begin(), previous.end(), [&](const HostRam& old) {
        return std::find(message->ram.begin(), message->ram.end(), old) == message->ram.end();
    });
    if (!takes_away) return {};
    const std::uint64_t changed = (*answer)->changed;
    wait_for_peers(partitions_with_windows_to_us(),
                   [changed](Guard& guard, unsigned peer) { return guard.ram_applied(peer) >= changed; });
    return {};
}

void Endpoint::close() {
    const std::lock_guard lock(service_mutex_);
    if (lost_.load(std::memory_order_relaxed)) return;
    if (send_message(socket_.get(), wire::make<wire::Detach>()) == Transfer::done && wait_for_answer()) {
        wait_for_settled_windows();
    }
}

}  // namespace ntblink
