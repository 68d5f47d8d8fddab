// SPDX-License-Identifier: MIT
// Accesses through windows to what is not mapped: the host asks the target's process, which makes them as a
// device on its bus would, and waits. So they reach devices, and an IOMMU sees them.
#include <fmt/format.h>

#include <cstdio>

#include "endpoint.h"

namespace ntblink {

namespace {

/// As long as for a peer to unmap. The completion timeout of hardware (50 ms) is less than a machine with
/// more virtual CPUs than real ones may need.
constexpr std::chrono::seconds kAccessLimit{10};

// For another process to read, whatever it makes of it.
void put(AccessRequest& request, const WindowRequest& what, std::uint64_t value) {
    request.requester_id = what.requester_id;
    request.bar = static_cast<std::uint8_t>(what.bar);
    request.offset = what.offset;
    request.size = static_cast<std::uint8_t>(what.size);
    request.write = what.write ? 1 : 0;
    request.value = value;
}

}  // namespace

std::uint64_t Endpoint::window_read(std::uint16_t requester_id, unsigned bar, std::uint64_t offset,
                                    unsigned size) {
    const std::lock_guard lock(service_mutex_);
    if (ask({requester_id, bar, offset, size, false}, 0)) return shared_.slot(partition_).request.value;
    window_miss(false, size);
    return size < 8 ? (std::uint64_t{1} << (8 * size)) - 1 : UINT64_MAX;
}

void Endpoint::window_write(std::uint16_t requester_id, unsigned bar, std::uint64_t offset,
                            std::uint64_t value, unsigned size) {
    const std::lock_guard lock(service_mutex_);
    if (ask({requester_id, bar, offset, size, true}, value)) return;
    window_miss(true, size);
}

bool Endpoint::admit(std::uint16_t requester_id, unsigned bar, std::uint64_t offset, std::size_t size,
                     bool write, unsigned payload) {
    using switchtec::Tlp;
    if (lost_.load(std::memory_order_relaxed)) return false;
    bool admitted = false;
    on_chip([&](switchtec::Chip& chip) {
        if (!chip.admit(partition_, requester_id)) return;
        const auto to = chip.translate(partition_, bar, offset, requester_id);
        if (!to) return;
        admitted = true;
        const std::uint64_t tlps = (size + payload - 1) / payload;
        if (write) {
            chip.forwarded({partition_, to->target, Tlp::Posted, tlps, size, 0});
        } else {
            chip.forwarded({partition_, to->target, Tlp::NonPosted, tlps, 0, 0});
            chip.forwarded({to->target, partition_, Tlp::Completion, tlps, size, 0});
        }
    });
    return admitted;
}

bool Endpoint::ask(const WindowRequest& what, std::uint64_t value) {
    // While it waits a host makes accesses for its peers, and these may come to its own windows: there is but
    // one request.
    if (asking_ || lost_.load(std::memory_order_relaxed)) return false;
    const auto target = translate(partition_, what);
    if (!target || target->target == partition_) return false;
    if ((late_ & bit(target->target)) != 0) {
        // Not before it has looked at what it was told last time.
        if (shared_.slot(target->target).signalled.load(std::memory_order_relaxed) != 0) return false;
        late_ &= ~bit(target->target);
    }

    AccessRequest& request = shared_.slot(partition_).request;
    put(request, what, value);
    const std::uint32_t number = request.asked.load(std::memory_order_relaxed) + 1;
    request.asked.store(number, std::memory_order_release);
    shared_.slot(target->target).askers.fetch_or(own_bit(), std::memory_order_acq_rel);
    shared_.wake(bit(target->target));

    const auto begin = std::chrono::steady_clock::now();
    asking_ = true;
    bool answered = false;
    const Waited waited = service_until(kAccessLimit, [&] {
        answered = request.answered.load(std::memory_order_acquire) == number;
        return answered || translate(partition_, what) != target;
    });
    asking_ = false;
    // What was left undone for it.
    shared_.wake(own_bit());
    if (waited == Waited::late) {
        late_ |= bit(target->target);
        fmt::print(stderr,
                   "ntb-endpoint: partition {}: partition {} has not answered an access within {} s (is its "
                   "process stopped?)\n",
                   partition_, target->target, kAccessLimit.count());
    }
    if (!answered || request.done == 0) return false;
    count_forwarded(target->target, what.write, what.size, std::chrono::steady_clock::now() - begin);
    return true;
}

// A read's request and its completion are half of its time on their way each; a write here waits for its
// answer as a read does.
void Endpoint::count_forwarded(unsigned target, bool write, unsigned size,
                               std::chrono::nanoseconds round_trip) {
    const auto latency = static_cast<std::uint64_t>(round_trip.count() / 2);
    using switchtec::Tlp;
    on_chip([&](switchtec::Chip& chip) {
        if (write) {
            chip.forwarded({partition_, target, Tlp::Posted, 1, size, latency});
        } else {
            chip.forwarded({partition_, target, Tlp::NonPosted, 1, 0, latency});
            chip.forwarded({target, partition_, Tlp::Completion, 1, size, latency});
        }
    });
}

void Endpoint::serve_accesses() {
    std::uint64_t askers = shared_.slot(partition_).askers.exchange(0, std::memory_order_acq_rel);
    while (askers != 0) {
        const auto source = static_cast<unsigned>(__builtin_ctzll(askers));
        askers &= askers - 1;
        if (source >= shared_.partitions()) return;
        AccessRequest& request = shared_.slot(source).request;
        const std::uint32_t number = request.asked.load(std::memory_order_acquire);
        if (request.answered.load(std::memory_order_relaxed) == number) continue;
        // The asker may have given up, and ask for something else meanwhile.
        const WindowRequest asked{request.requester_id, request.bar, request.offset, request.size,
                                  request.write != 0};
        std::uint64_t value = request.value;
        if (request.asked.load(std::memory_order_acquire) != number) continue;
        const bool done = make_access(source, asked, value);
        if (request.asked.load(std::memory_order_acquire) != number) continue;
        request.done = done ? 1 : 0;
        request.value = value;
        request.answered.store(number, std::memory_order_release);
        shared_.wake(bit(source));
    }
}

bool Endpoint::make_access(unsigned source, const WindowRequest& asked, std::uint64_t& value) {
    NtbAccess access{};
    access.source = source;
    access.size = asked.size;
    access.write = asked.write;
    if (access.size != 1 && access.size != 2 && access.size != 4 && access.size != 8) return false;
    const auto target = translate(source, asked);
    if (!target || target->target != partition_ || ops_.access == nullptr) return false;
    access.address = target->address;
    access.proxy = static_cast<std::uint8_t>(shared_.lock().chip().proxy(source, asked.requester_id));
    return ops_.access(opaque_, &access, &value);
}

// Where all `size` bytes go; a request that crosses the end of a window is not split.
std::optional<switchtec::Translation> Endpoint::translate(unsigned source, const WindowRequest& what) {
    Guard guard(shared_);
    switchtec::Chip& chip = guard.chip();
    const auto first = chip.translate(source, what.bar, what.offset, what.requester_id);
    const auto last = chip.translate(source, what.bar, what.offset + what.size - 1, what.requester_id);
    if (!first || !last || last->target != first->target || last->address - first->address != what.size - 1)
        return std::nullopt;
    return first;
}

}  // namespace ntblink
