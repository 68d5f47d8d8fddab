// SPDX-License-Identifier: MIT
#include "host.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace fabric::test {

namespace {

const NtbEndpointOps kOps{
    [](void* host, unsigned vector) { static_cast<Host*>(host)->interrupts.push_back(vector); },
    [](void* host) { ++static_cast<Host*>(host)->windows_changed; },
    [](void* host, const char* reason) { static_cast<Host*>(host)->lost.emplace_back(reason); },
    [](void* host) { ++static_cast<Host*>(host)->message_gaps; },
    [](void* host, std::uint64_t address, const void* data, std::size_t size) {
        static_cast<Host*>(host)->take_dma(address, data, size);
    },
    [](void* host, const NtbAccess* access, std::uint64_t* value) {
        return static_cast<Host*>(host)->access(*access, *value);
    },
};

ntblab::UniqueFd sealed_memory(std::uint64_t size) {
    ntblab::UniqueFd fd(::memfd_create("host-ram", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 ||
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        throw std::runtime_error("no memory for a host");
    }
    return fd;
}

// Hosts of this process that are open.
std::vector<Host*> hosts;

}  // namespace

Host::Host(const std::string& socket, unsigned partition)
    : partition_(partition),
      ram_file_(sealed_memory(kRam)),
      ram_(static_cast<std::byte*>(
          ::mmap(nullptr, kRam, PROT_READ | PROT_WRITE, MAP_SHARED, ram_file_.get(), 0))) {
    NtbEndpointConfig config{};
    config.fabric_socket = socket.c_str();
    config.switch_name = "sw0";
    config.partition = partition;
    char error[NTB_ERROR_SIZE];
    endpoint_ = ntb_endpoint_open(&config, error);
    if (endpoint_ == nullptr) throw std::runtime_error(error);
    ntb_endpoint_set_ops(endpoint_, &kOps, this);
    if (!tell_ram({{0, kRam, ram_file_.get(), 0}})) throw std::runtime_error("RAM refused");
    ntb_endpoint_set_bus_master(endpoint_, true);
    ntb_endpoint_set_requester_id(endpoint_, static_cast<std::uint16_t>(0x100 + partition));
    hosts.push_back(this);
}

void with_others_serviced(const Host* one, const std::function<void()>& call) {
    std::atomic<bool> done = false;
    std::thread others([&] {
        while (!done) {
            for (const Host* host : hosts) {
                if (host != one) host->service();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    call();
    done = true;
    others.join();
}

Host::~Host() {
    close();
    ::munmap(ram_, kRam);
}

void Host::close() {
    if (endpoint_ == nullptr) return;
    hosts.erase(std::remove(hosts.begin(), hosts.end(), this), hosts.end());
    if (hosts.empty()) {
        ntb_endpoint_close(endpoint_);
    } else {
        with_others_serviced(this, [this] { ntb_endpoint_close(endpoint_); });
    }
    endpoint_ = nullptr;
}

std::uint64_t Host::read(std::uint32_t offset, unsigned size) const {
    return ntb_endpoint_gas_read(endpoint_, offset, size);
}

void Host::write(std::uint32_t offset, std::uint64_t value, unsigned size) const {
    ntb_endpoint_gas_write(endpoint_, offset, value, size);
}

bool Host::tell_ram(const std::vector<NtbRamRange>& ranges, std::uint64_t viewers) {
    char error[NTB_ERROR_SIZE];
    return ntb_endpoint_set_ram(endpoint_, viewers, ranges.data(), ranges.size(), error);
}

bool Host::wait(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(kLimitSeconds);
    for (;;) {
        service();
        if (condition()) return true;
        if (std::chrono::steady_clock::now() > limit) return false;
        // Not for longer, as the condition may depend on more than the endpoint.
        pollfd entry{ntb_endpoint_fd(endpoint_), POLLIN, 0};
        ::poll(&entry, 1, 5);
    }
}

std::vector<NtbMappedWindow> Host::windows() const {
    std::vector<NtbMappedWindow> list(ntb_endpoint_windows(endpoint_, nullptr, 0));
    ntb_endpoint_windows(endpoint_, list.data(), list.size());
    return list;
}

std::byte* Host::bar(unsigned number) const {
    return static_cast<std::byte*>(ntb_endpoint_window_memory(endpoint_, number));
}

std::size_t Host::count(unsigned vector) const {
    return static_cast<std::size_t>(std::count(interrupts.begin(), interrupts.end(), vector));
}

void Host::take_dma(std::uint64_t address, const void* data, std::size_t size) {
    dma_writes.push_back({address, size, interrupts.size()});
    if (address <= kRam && size <= kRam - address) std::memcpy(ram_ + address, data, size);
}

void forget_hosts() {
    hosts.clear();
}

}  // namespace fabric::test
