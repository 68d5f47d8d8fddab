// SPDX-License-Identifier: MIT
// What happens to an endpoint's host. What takes something away from the peers returns when they no longer
// have it; meanwhile all endpoints of the process are serviced, so that hosts that wait for each other come
// through.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "endpoint.h"

namespace ntblink {

namespace {

/// A peer that is alive unmaps within milliseconds, on a loaded machine within a second. One that is stopped
/// never does.
constexpr std::chrono::seconds kPeerLimit{10};

struct RamMessage {
    std::vector<wire::RamRange> ranges;
    std::vector<int> files;
    std::vector<HostRam> ram;  // Sorted.
};

ntblab::Result<RamMessage> make_ram_message(std::span<const NtbRamRange> ranges) {
    RamMessage message;
    if (ranges.size() > wire::kMaxRamRanges) {
        return ntblab::fail(fmt::format("this host has {} RAM ranges, at most {} can be shared",
                                        ranges.size(), wire::kMaxRamRanges));
    }
    for (const NtbRamRange& range : ranges) {
        struct stat status {};
        if (::fstat(range.fd, &status) != 0) {
            return ntblab::fail(fmt::format("RAM range at bus address {:#x}: descriptor {}: {}",
                                            range.address, range.fd, std::strerror(errno)));
        }
        auto known = std::find(message.files.begin(), message.files.end(), range.fd);
        if (known == message.files.end()) known = message.files.insert(known, range.fd);
        const auto file = static_cast<std::uint32_t>(known - message.files.begin());
        message.ranges.push_back({range.address, range.size, range.fd_offset, file, 0});
        message.ram.push_back({range.address, range.size, range.fd_offset, status.st_dev, status.st_ino});
    }
    // One descriptor is that of the ranges.
    if (message.files.size() >= kMaxPacketFds) {
        return ntblab::fail(fmt::format("this host's RAM lies in {} files, at most {} can be shared",
                                        message.files.size(), kMaxPacketFds - 1));
    }
    std::sort(message.ram.begin(), message.ram.end());
    return message;
}

// Every byte of `part` is in `whole`, at the same address.
bool contains(const std::vector<HostRam>& whole, const HostRam& part) {
    auto after =
        std::upper_bound(whole.begin(), whole.end(), part.address,
                         [](std::uint64_t address, const HostRam& r) { return address < r.address; });
    if (after == whole.begin()) return false;
    const HostRam& range = *std::prev(after);
    const std::uint64_t inside = part.address - range.address;
    return inside < range.size && part.size <= range.size - inside && range.device == part.device &&
           range.inode == part.inode && range.fd_offset + inside == part.fd_offset;
}

}  // namespace

template <typename F>
void Endpoint::wait_for_peers(std::uint64_t pending, F done) {
    pending &= ~own_bit();
    const Waited waited = service_until(kPeerLimit, [&] {
        Guard guard(shared_);
        for (unsigned peer = 0; peer < shared_.partitions(); ++peer) {
            if ((pending & bit(peer)) != 0 && (!guard.chip().attached(peer) || done(guard, peer)))
                pending &= ~bit(peer);
        }
        if (pending == 0) {
            guard.waiters() &= ~own_bit();
        } else {
            guard.waiters() |= own_bit();
        }
        return pending == 0;
    });
    if (waited != Waited::late) return;
    fmt::print(stderr,
               "ntb-endpoint: partition {}: partitions {:#x} have not unmapped this host's memory within {} "
               "s; going on without them (are their processes stopped?)\n",
               partition_, pending, kPeerLimit.count());
}

void Endpoint::wait_for_settled_windows() {
    std::uint64_t everybody = 0;
    for (unsigned peer = 0; peer < shared_.partitions(); ++peer) everybody |= bit(peer);
    wait_for_peers(everybody, [](Guard& guard, unsigned peer) { return guard.chip().windows_settled(peer); });
}

void Endpoint::reset() {
    const std::lock_guard lock(service_mutex_);
    if (lost_.load(std::memory_order_relaxed)) return;
    snapshot_.clear();
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

ntblab::Result<std::vector<std::byte>> Endpoint::save() {
    const std::lock_guard lock(service_mutex_);
    if (lost_.load(std::memory_order_relaxed)) return ntblab::fail("the fabric is gone");
    if (!snapshot_.empty())
        return ntblab::fail(
            "it has just been loaded, and its windows are not back yet: save again when it has run for a "
            "second");
    Guard guard(shared_);
    return guard.chip().save(partition_);
}

ntblab::Result<void> Endpoint::load(std::span<const std::byte> saved) {
    if (lost_.load(std::memory_order_relaxed)) return ntblab::fail("the fabric is gone");
    ntblab::Result<void> loaded;
    unsigned gaps = 0;
    on_chip([&](switchtec::Chip& chip) {
        loaded = chip.load(partition_, saved);
        gaps = chip.message_gaps(partition_);
    });
    if (!loaded) return loaded;
    {
        const std::lock_guard lock(service_mutex_);
        snapshot_.assign(saved.begin(), saved.end());
        resumed_ = false;
    }
    if (gaps != 0) begin_message_gap();
    return loaded;
}

ntblab::Result<bool> Endpoint::load_windows() {
    const std::lock_guard lock(service_mutex_);
    if (snapshot_.empty() || lost_.load(std::memory_order_relaxed)) return true;
    if (!std::exchange(resumed_, true)) {
        on_chip([this](switchtec::Chip& chip) { chip.resumed(partition_); });
        return false;
    }
    ntblab::Result<bool> loaded = true;
    on_chip([&](switchtec::Chip& chip) { loaded = chip.load_windows(partition_, snapshot_); });
    if (!loaded || *loaded) snapshot_.clear();
    return loaded;
}

std::optional<ntblab::Result<wire::Done>> Endpoint::wait_for_answer() {
    switch (service_until(kAnswerLimit, [this] { return answer_.has_value(); })) {
        case Waited::done:
            return std::exchange(answer_, std::nullopt);
        case Waited::late:
            lose(fmt::format("the fabric did not answer within {} s", kAnswerLimit.count()));
            return std::nullopt;
        case Waited::lost:
            return std::nullopt;
    }
    return std::nullopt;
}

std::uint64_t Endpoint::partitions_with_windows_to_us() {
    std::uint64_t partitions = 0;
    Guard guard(shared_);
    for (unsigned peer = 0; peer < shared_.partitions(); ++peer) {
        if (peer == partition_) continue;
        const auto spans = guard.chip().windows(peer);
        const bool ours =
            std::any_of(spans.begin(), spans.end(), [&](const auto& s) { return s.target == partition_; });
        if (ours || !guard.chip().windows_settled(peer)) partitions |= bit(peer);
    }
    return partitions;
}

ntblab::Result<void> Endpoint::set_ram(std::uint64_t viewers, std::span<const NtbRamRange> ranges) {
    const std::lock_guard lock(service_mutex_);
    auto message = make_ram_message(ranges);
    if (!message) return tl::unexpected(message.error());
    if (lost_.load(std::memory_order_relaxed)) return {};
    bool changes = false;
    std::uint64_t losers = 0;
    for (unsigned viewer = 0; viewer < published_.size(); ++viewer) {
        if ((viewers & bit(viewer)) == 0) continue;
        const std::vector<HostRam>& before = published_[viewer];
        changes = changes || before != message->ram;
        const bool keeps = std::all_of(before.begin(), before.end(),
                                       [&](const HostRam& old) { return contains(message->ram, old); });
        if (!keeps) losers |= bit(viewer);
    }
    if (!changes) return {};

    auto table = wire::make<wire::RamTable>();
    table.partition = partition_;
    table.count = static_cast<std::uint32_t>(message->ranges.size());
    table.viewers = viewers;
    ntblab::UniqueFd ranges_file;
    std::vector<int> fds;
    if (table.count != 0) {
        auto file = file_of_ranges(message->ranges);
        if (!file) return tl::unexpected(file.error());
        ranges_file = std::move(*file);
        fds.push_back(ranges_file.get());
        fds.insert(fds.end(), message->files.begin(), message->files.end());
    }
    if (send_message(socket_.get(), table, fds) != Transfer::done) {
        lose("the fabric does not take messages any more");
        return {};
    }
    // From here on for a call from ops that tells the same once more.
    const auto previous = published_;
    for (unsigned viewer = 0; viewer < published_.size(); ++viewer) {
        if ((viewers & bit(viewer)) != 0) published_[viewer] = message->ram;
    }
    const auto answer = wait_for_answer();
    if (!answer) return {};
    if (!*answer) {
        published_ = previous;
        return tl::unexpected(answer->error());
    }
    if (losers == 0) return {};
    const std::uint64_t changed = (*answer)->changed;
    wait_for_peers(partitions_with_windows_to_us() & losers,
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
