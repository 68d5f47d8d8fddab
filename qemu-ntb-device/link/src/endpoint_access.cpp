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
void put(AccessRequest& request, unsigned bar, std::uint64_t offset, unsigned size, bool write,
         std::uint64_t value) {
    request.bar = static_cast<std::uint8_t>(bar);
    request.offset = offset;
    request.size = static_cast<std::uint8_t>(size);
    request.write = write ? 1 : 0;
    request.value = value;
}

}  // namespace

std::uint64_t Endpoint::window_read(unsigned bar, std::uint64_t offset, unsigned size) {
    const std::lock_guard lock(service_mutex_);
    if (ask(bar, offset, size, false, 0)) return shared_.slot(partition_).request.value;
    window_miss(false, size);
    return size < 8 ? (std::uint64_t{1} << (8 * size)) - 1 : UINT64_MAX;
}

void Endpoint::window_write(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned size) {
    const std::lock_guard lock(service_mutex_);
    if (ask(bar, offset, size, true, value)) return;
    window_miss(true, size);
}

bool Endpoint::ask(unsigned bar, std::uint64_t offset, unsigned size, bool write, std::uint64_t value) {
    // While it waits a host makes accesses for its peers, and these may come to its own windows: there is but
    // one request.
    if (asking_ || lost_.load(std::memory_order_relaxed)) return false;
    const auto target = translate(partition_, bar, offset, size);
    if (!target || target->target == partition_) return false;
    if ((late_ & bit(target->target)) != 0) {
        // Not before it has looked at what it was told last time.
        if (shared_.slot(target->target).signalled.load(std::memory_order_relaxed) != 0) return false;
        late_ &= ~bit(target->target);
    }

    AccessRequest& request = shared_.slot(partition_).request;
    put(request, bar, offset, size, write, value);
    const std::uint32_t number = request.asked.load(std::memory_order_relaxed) + 1;
    request.asked.store(number, std::memory_order_release);
    shared_.slot(target->target).askers.fetch_or(own_bit(), std::memory_order_acq_rel);
    shared_.wake(bit(target->target));

    const auto begin = std::chrono::steady_clock::now();
    asking_ = true;
    bool answered = false;
    const Waited waited = service_until(kAccessLimit, [&] {
        answered = request.answered.load(std::memory_order_acquire) == number;
        return answered || translate(partition_, bar, offset, size) != target;
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
    count_forwarded(target->target, write, size, std::chrono::steady_clock::now() - begin);
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
        const Asked asked{request.bar, request.offset, request.size, request.write != 0};
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

bool Endpoint::make_access(unsigned source, const Asked& asked, std::uint64_t& value) {
    NtbAccess access{};
    access.source = source;
    access.size = asked.size;
    access.write = asked.write;
    if (access.size != 1 && access.size != 2 && access.size != 4 && access.size != 8) return false;
    const auto target = translate(source, asked.bar, asked.offset, access.size);
    if (!target || target->target != partition_ || ops_.access == nullptr) return false;
    access.address = target->address;
    access.proxy = static_cast<std::uint8_t>(shared_.lock().chip().proxy(source));
    return ops_.access(opaque_, &access, &value);
}

// Where all `size` bytes go; a request that crosses the end of a window is not split.
std::optional<switchtec::Translation> Endpoint::translate(unsigned source, unsigned bar, std::uint64_t offset,
                                                          unsigned size) {
    Guard guard(shared_);
    const auto first = guard.chip().translate(source, bar, offset);
    const auto last = guard.chip().translate(source, bar, offset + size - 1);
    if (!first || !last || last->target != first->target || last->address - first->address != size - 1)
        return std::nullopt;
    return first;
}

}  // namespace ntblink
