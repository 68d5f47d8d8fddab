// SPDX-License-Identifier: MIT
// What an endpoint does when it is woken: the fabric's messages, the windows, accesses for peers, then the
// interrupts. In this order, so that a host which is told something by an interrupt finds what its cause set
// up.
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cstdio>

#include "endpoint.h"

namespace ntblink {

void Endpoint::service() {
    const std::lock_guard lock(service_mutex_);
    service_once();
}

void Endpoint::service_once() {
    if (lost_.load(std::memory_order_relaxed)) return;
    std::array<epoll_event, 2> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    shared_.looking(partition_);
    for (int i = 0; i < count; ++i) {
        if (events[static_cast<std::size_t>(i)].data.fd == socket_.get()) receive_messages();
    }
    if (lost_.load(std::memory_order_relaxed)) return;
    // An access under way may still reach what new windows would not show: they wait for it.
    if (!asking_) refresh_windows();
    serve_accesses();
    deliver_interrupts();
}

Endpoint::Waited Endpoint::service_until(std::chrono::seconds limit, const std::function<bool()>& condition) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + limit;
    for (;;) {
        service_once();
        std::vector<pollfd> fds = siblings().service_all_but(*this);
        if (condition()) return Waited::done;
        if (lost_.load(std::memory_order_relaxed)) return Waited::lost;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return Waited::late;
        fds.push_back({epoll_.get(), POLLIN, 0});
        ::poll(fds.data(), fds.size(), static_cast<int>(left) + 1);
    }
}

Endpoint::Siblings& Endpoint::siblings() {
    static Siblings all;
    return all;
}

void Endpoint::Siblings::add(Endpoint& endpoint) {
    const std::lock_guard lock(mutex_);
    forget_those_of_the_parent();
    endpoints_.push_back(&endpoint);
}

void Endpoint::Siblings::remove(Endpoint& endpoint) {
    const std::lock_guard lock(mutex_);
    std::erase(endpoints_, &endpoint);
}

void Endpoint::Siblings::forget_those_of_the_parent() {
    if (process_ != ::getpid()) endpoints_.clear();
    process_ = ::getpid();
}

std::vector<pollfd> Endpoint::Siblings::service_all_but(const Endpoint& one) {
    std::vector<pollfd> fds;
    // Where another thread is at it, it is done without us.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return fds;
    forget_those_of_the_parent();
    for (Endpoint* endpoint : std::vector(endpoints_)) {
        if (endpoint == &one) continue;
        const std::unique_lock service(endpoint->service_mutex_, std::try_to_lock);
        if (!service) continue;
        endpoint->service_once();
        fds.push_back({endpoint->epoll_.get(), POLLIN, 0});
    }
    return fds;
}

void Endpoint::receive_messages() {
    while (!lost_.load(std::memory_order_relaxed)) {
        Received received = receive_packet(socket_.get());
        switch (received.status) {
            case Transfer::would_block:
                return;
            case Transfer::closed:
                return lose("the fabric closed the connection or died");
            case Transfer::malformed:
                return lose("the fabric sent a message that is not of this protocol");
            case Transfer::done:
                handle(received.packet);
        }
    }
}

void Endpoint::handle(Packet& packet) {
    if (const auto table = packet.as<wire::RamTable>()) {
        take_peer_ram(*table, std::move(packet.fds));
        learn_epoch(table->epoch);
    } else if (const auto done = packet.as<wire::Done>()) {
        answer_ = *done;
        learn_epoch(done->epoch);
    } else if (const auto refused = packet.as<wire::Refused>()) {
        answer_ = ntblab::fail(get_text(refused->text));
    } else {
        lose("the fabric sent a message that is not of this protocol");
    }
}

void Endpoint::take_peer_ram(const wire::RamTable& table, std::vector<ntblab::UniqueFd> fds) {
    if (table.partition >= peer_ram_.size() || table.partition == partition_) return;
    auto ram = RamTable::receive(table, std::move(fds));
    if (!ram) {
        fmt::print(stderr, "ntb-endpoint: partition {}: windows to partition {} stay closed: {}\n",
                   partition_, table.partition, ram.error().message);
    }
    RamMap map = ram ? RamMap(std::move(*ram)) : RamMap();
    retired_ram_.push_back(std::exchange(peer_ram_[table.partition], std::move(map)));
    stale_ = true;
}

void Endpoint::learn_epoch(std::uint64_t epoch) {
    if (epoch <= known_epoch_) return;
    known_epoch_ = epoch;
    stale_ = true;
}

void Endpoint::refresh_windows() {
    for (;;) {
        std::vector<switchtec::WindowSpan> spans;
        std::uint64_t generation = 0;
        std::uint64_t epoch = 0;
        {
            Guard guard(shared_);
            generation = guard.chip().window_generation(partition_);
            if (!stale_ && generation == shown_generation_.load(std::memory_order_relaxed)) return;
            spans = guard.chip().windows(partition_);
            epoch = guard.ram_epoch(partition_);
        }
        stale_ = false;
        show_windows(map_windows(spans, [this](unsigned target) { return peer_ram_.at(target).pieces(); }));
        shown_generation_.store(generation, std::memory_order_relaxed);

        std::uint64_t partitions = 0;
        {
            Guard guard(shared_);
            guard.ram_applied(partition_) = known_epoch_;
            // With a RAM change still under way to us the windows may lack what they should have: not in
            // effect yet.
            if (known_epoch_ >= epoch) guard.chip().windows_applied(partition_, generation);
            partitions = guard.chip().take_wakeups() | guard.waiters();
        }
        shared_.wake(partitions & ~own_bit());
    }
}

void Endpoint::show_windows(const std::vector<WindowPiece>& pieces) {
    // Old descriptors live until here, so that a new one with the same number is never taken for an old one.
    const std::vector<RamMap> retired = std::exchange(retired_ram_, {});
    windows_.show(pieces, [this] {
        if (ops_.windows_changed != nullptr) ops_.windows_changed(opaque_);
    });
}

void Endpoint::lose(const std::string& reason) {
    if (lost_.exchange(true)) return;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket_.get(), nullptr);
    socket_.reset();
    for (RamMap& ram : peer_ram_) retired_ram_.push_back(std::exchange(ram, {}));
    show_windows({});
    if (ops_.lost != nullptr) ops_.lost(opaque_, reason.c_str());
}

}  // namespace ntblink
