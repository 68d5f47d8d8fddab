// SPDX-License-Identifier: MIT
#include "endpoint.h"

#include <fmt/format.h>
#include <switchtec/registers.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ntblink {

Endpoint::Endpoint(Session session, unsigned partition, WindowSet windows)
    : shared_(std::move(session.shared)),
      partition_(partition),
      layout_(shared_.lock().chip().generation() == 3 ? switchtec::Layout::Gen3 : switchtec::Layout::Gen4),
      socket_(std::move(session.socket)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      peer_ram_(shared_.partitions()),
      windows_(std::move(windows)),
      known_epoch_(session.ram_epoch),
      published_(shared_.partitions()) {}

ntblab::Result<std::unique_ptr<Endpoint>> Endpoint::open(const NtbEndpointConfig& config) {
    auto session = attach(config);
    if (!session) return tl::unexpected(session.error());
    if (config.partition >= session->shared.partitions()) {
        return ntblab::fail(fmt::format("the fabric attached partition {} of a switch that has {}",
                                        config.partition, session->shared.partitions()));
    }
    const switchtec::PartitionConfig bars = session->shared.lock().chip().config(config.partition);
    auto bar2 = WindowMemory::reserve(bars.bar2_size);
    if (!bar2) return tl::unexpected(bar2.error());
    auto bar4 = WindowMemory::reserve(bars.bar4_size);
    if (!bar4) return tl::unexpected(bar4.error());
    WindowSet windows(std::move(*bar2), std::move(*bar4));
    std::unique_ptr<Endpoint> endpoint(
        new Endpoint(std::move(*session), config.partition, std::move(windows)));
    if (auto watching = endpoint->watch(); !watching) return tl::unexpected(watching.error());
    siblings().add(*endpoint);
    return endpoint;
}

ntblab::Result<void> Endpoint::watch() {
    const auto add = [this](int fd, std::uint32_t kind) {
        epoll_event event{};
        event.events = kind;
        event.data.fd = fd;
        return epoll_ && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
    };
    // Edge triggered, the eventfd need not be read: one system call less for each interrupt.
    if (!add(shared_.event_fd(partition_), EPOLLIN | EPOLLET) || !add(socket_.get(), EPOLLIN)) {
        return ntblab::fail(fmt::format("watching the fabric: {}", std::strerror(errno)));
    }
    return {};
}

NtbEndpointInfo Endpoint::info() {
    Guard guard(shared_);
    const switchtec::PartitionConfig& config = guard.chip().config(partition_);
    NtbEndpointInfo info{};
    info.vendor_id = guard.chip().vendor_id();
    info.device_id = guard.chip().device_id();
    info.class_code = switchtec::class_code(config.function);
    info.link_generation = config.link_generation;
    info.link_width = config.link_width;
    info.vectors = config.vectors;
    info.msix_table_offset = switchtec::offset_of(switchtec::Reg::MsixTable, partition_);
    info.msix_pba_offset = switchtec::offset_of(switchtec::Reg::MsixPba, partition_);
    info.bar0_size = switchtec::kGasSize;
    info.bar2_size = config.bar2_size;
    info.bar4_size = config.bar4_size;
    return info;
}

void Endpoint::set_ops(const NtbEndpointOps& ops, void* opaque) {
    const std::lock_guard lock(service_mutex_);
    ops_ = ops;
    opaque_ = opaque;
    shared_.wake(own_bit());
}

std::uint64_t Endpoint::gas_read(std::uint32_t offset, unsigned size) {
    std::uint64_t value = size < 8 ? (std::uint64_t{1} << (8 * size)) - 1 : UINT64_MAX;
    if (lost_.load(std::memory_order_relaxed)) return value;
    on_chip([&](switchtec::Chip& chip) {
        chip.count_access(partition_, /*write=*/false, size);
        value = chip.read(partition_, offset, size);
    });
    return value;
}

void Endpoint::gas_write(std::uint32_t offset, std::uint64_t value, unsigned size) {
    if (lost_.load(std::memory_order_relaxed)) return;
    unsigned gaps_begun = 0;
    std::optional<switchtec::MrpcDma> answer;
    on_chip([&](switchtec::Chip& chip) {
        const unsigned before = chip.message_gaps(partition_);
        chip.count_access(partition_, /*write=*/true, size);
        chip.write(partition_, offset, value, size);
        gaps_begun = chip.message_gaps(partition_) & ~before;
        answer = chip.take_mrpc_dma(partition_);
    });
    if (answer) write_answer(*answer);
    if (gaps_begun != 0) begin_message_gap();
}

void Endpoint::begin_message_gap() {
    if (ops_.message_gap != nullptr) {
        ops_.message_gap(opaque_);
    } else {
        end_message_gap();
    }
}

// The host waits for the header: it must not come before the data, nor the interrupt before it.
void Endpoint::write_answer(const switchtec::MrpcDma& answer) {
    if (ops_.dma_write != nullptr) {
        ops_.dma_write(opaque_, answer.data_address, answer.data.data(), answer.data.size());
        ops_.dma_write(opaque_, answer.address, answer.header.data(), answer.header.size());
    }
    on_chip([&](switchtec::Chip& chip) { chip.mrpc_dma_done(partition_, answer.number); });
}

void Endpoint::end_message_gap() {
    if (lost_.load(std::memory_order_relaxed)) return;
    on_chip([this](switchtec::Chip& chip) { chip.end_message_gaps(partition_); });
}

void Endpoint::wake(std::uint64_t partitions, bool own_windows) {
    const bool own = (partitions & own_bit()) != 0;
    // Own interrupts are delivered here; own windows, which come first, are a matter for the thread that
    // services.
    shared_.wake(own && !own_windows ? partitions & ~own_bit() : partitions);
    if (own && !own_windows) deliver_interrupts();
}

void Endpoint::deliver_interrupts() {
    if (ops_.interrupt == nullptr) return;
    // One thread delivers, so that the order stays; others leave it the work, also when they come out of
    // ops.interrupt.
    if (deliveries_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
    std::uint32_t seen = 0;
    bool new_windows = false;
    do {
        seen = deliveries_.load(std::memory_order_acquire);
        std::array<unsigned, 32> vectors;
        std::size_t count = 0;
        do {
            count = 0;
            {
                Guard guard(shared_);
                new_windows = guard.chip().window_generation(partition_) !=
                              shown_generation_.load(std::memory_order_relaxed);
                while (!new_windows && count < vectors.size()) {
                    const auto vector = guard.chip().take_interrupt(partition_);
                    if (!vector) break;
                    vectors[count++] = *vector;
                }
            }
            for (std::size_t i = 0; i < count; ++i) ops_.interrupt(opaque_, vectors[i]);
        } while (count == vectors.size());
    } while (deliveries_.fetch_sub(seen, std::memory_order_acq_rel) != seen);
    // The rest when these are in effect: what an interrupt tells of must not be older than what the host
    // sees.
    if (new_windows) shared_.wake(own_bit());
}

std::size_t Endpoint::windows(NtbMappedWindow* windows, std::size_t capacity) {
    const std::lock_guard lock(service_mutex_);
    const std::vector<NtbMappedWindow> all = windows_.windows();
    std::copy_n(all.begin(), std::min(capacity, all.size()), windows);
    return all.size();
}

void Endpoint::window_miss(bool write, unsigned size) {
    auto& slot = shared_.slot(partition_);
    (write ? slot.write_misses : slot.read_misses).fetch_add(1, std::memory_order_relaxed);
    if (lost_.load(std::memory_order_relaxed)) return;
    on_chip([&](switchtec::Chip& chip) { chip.count_unsupported(partition_, write, size); });
}

void Endpoint::forwarded(unsigned target, NtbTlp tlp, std::uint64_t tlps, std::uint64_t payload,
                         std::uint64_t latency_ns) {
    if (lost_.load(std::memory_order_relaxed)) return;
    on_chip([&](switchtec::Chip& chip) {
        chip.forwarded({.from = partition_,
                        .to = target,
                        .tlp = static_cast<switchtec::Tlp>(tlp),
                        .tlps = tlps,
                        .payload = payload,
                        .latency_ns = latency_ns});
    });
}

}  // namespace ntblink
