// SPDX-License-Identifier: MIT
// A host as a hypervisor would run it: an endpoint by its C interface, RAM, and a record of what the endpoint
// called.
//
//     Host a(cluster.socket(), 0);
//     a.wait([&] { return a.count(2) == 1; });
#pragma once

#include <ntblab/unique_fd.h>
#include <ntblink/endpoint.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabric::test {

inline constexpr std::uint64_t kRam = 16ULL << 20;

/// Longer than any wait of a test that passes.
inline constexpr int kLimitSeconds = 120;

class Host {
  public:
    /// Attaches, publishes kRam bytes of RAM from address 0, enables bus mastering. Throws when refused.
    Host(const std::string& socket, unsigned partition);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host();

    NtbEndpoint* operator*() const { return endpoint_; }
    unsigned partition() const { return partition_; }
    std::byte* ram() const { return ram_; }
    int ram_fd() const { return ram_file_.get(); }

    std::uint64_t read(std::uint32_t offset, unsigned size) const;
    void write(std::uint32_t offset, std::uint64_t value, unsigned size) const;
    bool tell_ram(const std::vector<NtbRamRange>& ranges, std::uint64_t viewers = UINT64_MAX);

    /// Services until `condition` holds; false: not within the limit.
    bool wait(const std::function<bool()>& condition);
    /// Services what there is to service now.
    void service() const { ntb_endpoint_service(endpoint_); }
    /// Closes the endpoint, while the other hosts of this process are serviced.
    void close();

    std::vector<NtbMappedWindow> windows() const;
    std::byte* bar(unsigned number) const;

    std::vector<unsigned> interrupts;  ///< Vectors, in the order of the calls.
    std::size_t count(unsigned vector) const;
    int windows_changed = 0;
    std::vector<std::string> lost;
    /// The endpoint writes into this host's RAM.
    struct DmaWrite {
        std::uint64_t address;
        std::size_t size;
        std::size_t interrupts;  ///< How many had come before.
    };
    std::vector<DmaWrite> dma_writes;
    void take_dma(std::uint64_t address, const void* data, std::size_t size);
    /// What answers peers' accesses to what is not mapped; by default nothing does.
    std::function<bool(const NtbAccess&, std::uint64_t& value)> access = [](auto&, auto&) { return false; };
    int message_gaps = 0;  ///< Begun; they end by ntb_endpoint_end_message_gap.

  private:
    unsigned partition_;
    ntblab::UniqueFd ram_file_;
    std::byte* ram_;
    NtbEndpoint* endpoint_;
};

/// Calls `call` while the other hosts of this process are serviced, as their own threads would.
void with_others_serviced(const Host* one, const std::function<void()>& call);

/// After fork: the parent's hosts are not this process's.
void forget_hosts();

}  // namespace fabric::test
