// SPDX-License-Identifier: MIT
// What is behind the C interface of endpoint.h: one host's seat at a shared switch. The methods are those of
// the interface.
//
//     auto endpoint = ntblink::Endpoint::open(config).value();
//     endpoint->gas_write(0x75000, 1, 8);
//
// Two locks, taken in this order: `service_mutex_` (tables, windows, the socket), then the switch's lock.
// Register accesses take the second only. Interrupts are delivered without either, by one thread at a time.
#pragma once

#include <poll.h>
#include <switchtec/registers.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handshake.h"
#include "ntblink/endpoint.h"
#include "ntblink/packet.h"
#include "ntblink/ram_table.h"
#include "window_set.h"

namespace ntblink {

/// A range of this host's RAM as it was told to the peers.
struct HostRam {
    std::uint64_t address, size, fd_offset;
    std::uint64_t device, inode;  ///< Of the file it lies in.
    bool operator==(const HostRam&) const = default;
    bool operator<(const HostRam& other) const { return address < other.address; }
};

/// An access to a window BAR by a host.
struct WindowRequest {
    std::uint16_t requester_id;
    unsigned bar;
    std::uint64_t offset;
    unsigned size;
    bool write;
};

class Endpoint {
  public:
    ~Endpoint() { siblings().remove(*this); }
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    static ntblab::Result<std::unique_ptr<Endpoint>> open(const NtbEndpointConfig& config);

    NtbEndpointInfo info();
    void set_ops(const NtbEndpointOps& ops, void* opaque);
    int fd() const { return epoll_.get(); }
    void service();

    std::uint64_t gas_read(std::uint32_t offset, unsigned size);
    void gas_write(std::uint32_t offset, std::uint64_t value, unsigned size);
    void end_message_gap();
    std::size_t windows(NtbMappedWindow* windows, std::size_t capacity);
    void* window_memory(unsigned bar) { return windows_.memory(bar); }
    std::uint64_t window_read(std::uint16_t requester_id, unsigned bar, std::uint64_t offset, unsigned size);
    void window_write(std::uint16_t requester_id, unsigned bar, std::uint64_t offset, std::uint64_t value,
                      unsigned size);
    bool admit(std::uint16_t requester_id, unsigned bar, std::uint64_t offset, std::size_t size, bool write,
               unsigned payload);
    void window_miss(bool write, unsigned size);
    void forwarded(unsigned target, NtbTlp tlp, std::uint64_t tlps, std::uint64_t payload,
                   std::uint64_t latency_ns);
    switchtec::Layout layout() const { return layout_; }

    void reset();
    void set_bus_master(bool enabled);
    void set_requester_id(std::uint16_t requester_id);
    ntblab::Result<std::vector<std::byte>> save();
    ntblab::Result<void> load(std::span<const std::byte> saved);
    /// False: call it again later.
    ntblab::Result<bool> load_windows();
    ntblab::Result<void> set_ram(std::uint64_t viewers, std::span<const NtbRamRange> ranges);
    /// Detaches; afterwards nothing but the destructor may be called.
    void close();

  private:
    using Guard = SharedSwitch::Guard;

    /// All endpoints of the process.
    class Siblings {
      public:
        void add(Endpoint& endpoint);
        void remove(Endpoint& endpoint);
        /// Returns what is readable when they have something to do.
        std::vector<pollfd> service_all_but(const Endpoint& one);

      private:
        void forget_those_of_the_parent();  // After a fork.

        std::recursive_mutex mutex_;
        std::vector<Endpoint*> endpoints_;
        pid_t process_ = -1;
    };
    static Siblings& siblings();

    Endpoint(Session session, unsigned partition, WindowSet windows);
    ntblab::Result<void> watch();
    static constexpr std::uint64_t bit(unsigned partition) { return std::uint64_t{1} << partition; }
    std::uint64_t own_bit() const { return bit(partition_); }

    /// Runs `call(chip)` under the switch's lock, then wakes the hosts that it concerns.
    template <typename F>
    void on_chip(F call);
    void wake(std::uint64_t partitions, bool own_windows);
    void begin_message_gap();
    void write_answer(const switchtec::MrpcDma& answer);
    void deliver_interrupts();

    // Under service_mutex_, in endpoint_service.cpp.
    void service_once();
    enum class Waited { done, lost, late };
    /// Services this and the other endpoints of the process until `condition()` holds: the caller may hold a
    /// lock without which their own threads cannot service them.
    Waited service_until(std::chrono::seconds limit, const std::function<bool()>& condition);
    void receive_messages();
    void handle(Packet& packet);
    void take_peer_ram(const wire::RamTable& table, std::vector<ntblab::UniqueFd> fds);
    void learn_epoch(std::uint64_t epoch);
    void refresh_windows();
    void show_windows(const std::vector<WindowPiece>& pieces);
    void lose(const std::string& reason);

    // Under service_mutex_, in endpoint_host.cpp.
    /// The fabric's answer to what was sent last; nullopt: it is gone.
    std::optional<ntblab::Result<wire::Done>> wait_for_answer();
    /// Services until `done(guard, q)` has been seen for each partition q in `pending`, or q is not attached,
    /// or q has had more than enough time.
    template <typename F>
    void wait_for_peers(std::uint64_t pending, F done);
    void wait_for_settled_windows();
    std::uint64_t partitions_with_windows_to_us();

    // Under service_mutex_, in endpoint_access.cpp.
    /// Has the target make the access; a read's value is then in the request. False: an unsupported request.
    bool ask(const WindowRequest& what, std::uint64_t value);
    void count_forwarded(unsigned target, bool write, unsigned size, std::chrono::nanoseconds round_trip);
    /// Makes the accesses that peers ask for.
    void serve_accesses();
    bool make_access(unsigned source, const WindowRequest& asked, std::uint64_t& value);
    std::optional<switchtec::Translation> translate(unsigned source, const WindowRequest& what);

    SharedSwitch shared_;
    const unsigned partition_;
    const switchtec::Layout layout_;
    ntblab::UniqueFd socket_;
    ntblab::UniqueFd epoll_;
    NtbEndpointOps ops_{};
    void* opaque_ = nullptr;

    std::atomic<bool> lost_ = false;
    std::atomic<std::uint32_t> deliveries_ =
        0;  ///< Calls of deliver_interrupts that are not yet accounted for.
    std::atomic<std::uint64_t> shown_generation_ = 0;  ///< Of the windows that are in effect.

    std::recursive_mutex service_mutex_;  ///< Recursive: ops may call back.
    std::vector<RamMap> peer_ram_;        ///< By partition.
    std::vector<RamMap> retired_ram_;     ///< What windows in effect may still show.
    WindowSet windows_;
    std::uint64_t known_epoch_;  ///< The fabric has told of every RAM change up to this one.
    bool stale_ = true;          ///< The windows have to be made anew whatever their generation.
    bool asking_ = false;        ///< A peer is making an access for this host, which waits.
    std::uint64_t late_ = 0;     ///< Partitions that have not answered an access in time.
    std::optional<ntblab::Result<wire::Done>> answer_;
    std::vector<std::byte> snapshot_;              ///< Whose windows are not yet loaded.
    bool resumed_ = false;                         ///< Since it was loaded.
    std::vector<std::vector<HostRam>> published_;  ///< By the partition that may see it; sorted.
};

template <typename F>
void Endpoint::on_chip(F call) {
    std::uint64_t partitions = 0;
    bool own_windows = false;
    {
        Guard guard(shared_);
        call(guard.chip());
        partitions = guard.chip().take_wakeups();
        own_windows =
            guard.chip().window_generation(partition_) != shown_generation_.load(std::memory_order_relaxed);
    }
    if (partitions != 0) wake(partitions, own_windows);
}

}  // namespace ntblink
