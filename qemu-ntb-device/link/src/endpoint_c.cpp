// SPDX-License-Identifier: MIT
// The C interface. What throws below it is a broken invariant and ends the process, as no C caller catches
// it.
#include <cstdlib>
#include <cstring>

#include "endpoint.h"
#include "ntblink/endpoint.h"
#include "switchtec/registers.h"

struct NtbEndpoint {
    std::unique_ptr<ntblink::Endpoint> endpoint;
};

namespace {

static_assert(ntblink::wire::kMaxRamRanges == NTB_MAX_RAM_RANGES);
static_assert(static_cast<int>(switchtec::Tlp::Posted) == NTB_TLP_POSTED);
static_assert(static_cast<int>(switchtec::Tlp::NonPosted) == NTB_TLP_NON_POSTED);
static_assert(static_cast<int>(switchtec::Tlp::Completion) == NTB_TLP_COMPLETION);

void put_error(char* error, const std::string& message) {
    if (error == nullptr) return;
    const std::size_t length = message.copy(error, NTB_ERROR_SIZE - 1);
    error[length] = '\0';
}

}  // namespace

NtbEndpoint* ntb_endpoint_open(const NtbEndpointConfig* config, char* error) {
    auto endpoint = ntblink::Endpoint::open(*config);
    if (!endpoint) {
        put_error(error, endpoint.error().message);
        return nullptr;
    }
    return new NtbEndpoint{std::move(*endpoint)};
}

void ntb_endpoint_close(NtbEndpoint* ep) {
    if (ep == nullptr) return;
    ep->endpoint->close();
    delete ep;
}

void ntb_endpoint_info(const NtbEndpoint* ep, NtbEndpointInfo* info) {
    *info = ep->endpoint->info();
}

void ntb_endpoint_set_ops(NtbEndpoint* ep, const NtbEndpointOps* ops, void* opaque) {
    ep->endpoint->set_ops(*ops, opaque);
}

int ntb_endpoint_fd(const NtbEndpoint* ep) {
    return ep->endpoint->fd();
}

void ntb_endpoint_service(NtbEndpoint* ep) {
    ep->endpoint->service();
}

std::uint64_t ntb_endpoint_gas_read(NtbEndpoint* ep, std::uint32_t offset, unsigned size) {
    return ep->endpoint->gas_read(offset, size);
}

void ntb_endpoint_gas_write(NtbEndpoint* ep, std::uint32_t offset, std::uint64_t value, unsigned size) {
    ep->endpoint->gas_write(offset, value, size);
}

void ntb_endpoint_end_message_gap(NtbEndpoint* ep) {
    ep->endpoint->end_message_gap();
}

std::size_t ntb_endpoint_windows(NtbEndpoint* ep, NtbMappedWindow* windows, std::size_t capacity) {
    return ep->endpoint->windows(windows, capacity);
}

void* ntb_endpoint_window_memory(NtbEndpoint* ep, unsigned bar) {
    return ep->endpoint->window_memory(bar);
}

const char* ntb_endpoint_register_name(const NtbEndpoint* ep, std::uint32_t offset, char* buffer,
                                       std::size_t size) {
    const auto layout = ep != nullptr ? ep->endpoint->layout() : switchtec::Layout::Gen4;
    return switchtec::register_name(offset, {buffer, size}, layout);
}

std::uint64_t ntb_endpoint_window_read(NtbEndpoint* ep, std::uint16_t requester_id, unsigned bar,
                                       std::uint64_t offset, unsigned size) {
    return ep->endpoint->window_read(requester_id, bar, offset, size);
}

void ntb_endpoint_window_write(NtbEndpoint* ep, std::uint16_t requester_id, unsigned bar,
                               std::uint64_t offset, std::uint64_t value, unsigned size) {
    ep->endpoint->window_write(requester_id, bar, offset, value, size);
}

bool ntb_endpoint_admit(NtbEndpoint* ep, std::uint16_t requester_id, unsigned bar, std::uint64_t offset,
                        std::size_t size, bool write, unsigned payload) {
    return ep->endpoint->admit(requester_id, bar, offset, size, write, payload);
}

void ntb_endpoint_forwarded(NtbEndpoint* ep, unsigned target, NtbTlp tlp, std::uint64_t tlps,
                            std::uint64_t payload, std::uint64_t latency_ns) {
    ep->endpoint->forwarded(target, tlp, tlps, payload, latency_ns);
}

void ntb_endpoint_reset(NtbEndpoint* ep) {
    ep->endpoint->reset();
}

void ntb_endpoint_set_bus_master(NtbEndpoint* ep, bool enabled) {
    ep->endpoint->set_bus_master(enabled);
}

void ntb_endpoint_set_requester_id(NtbEndpoint* ep, std::uint16_t requester_id) {
    ep->endpoint->set_requester_id(requester_id);
}

void* ntb_endpoint_save(NtbEndpoint* ep, std::size_t* size, char* error) {
    const auto saved = ep->endpoint->save();
    if (!saved) {
        put_error(error, saved.error().message);
        return nullptr;
    }
    void* copy = std::malloc(saved->size());
    if (copy == nullptr) {
        put_error(error, "no memory for a snapshot");
        return nullptr;
    }
    std::memcpy(copy, saved->data(), saved->size());
    *size = saved->size();
    return copy;
}

bool ntb_endpoint_load(NtbEndpoint* ep, const void* saved, std::size_t size, char* error) {
    if (auto loaded = ep->endpoint->load({static_cast<const std::byte*>(saved), size}); !loaded) {
        put_error(error, loaded.error().message);
        return false;
    }
    return true;
}

NtbLoaded ntb_endpoint_load_windows(NtbEndpoint* ep, char* error) {
    const auto loaded = ep->endpoint->load_windows();
    if (!loaded) {
        put_error(error, loaded.error().message);
        return NTB_FAILED;
    }
    return *loaded ? NTB_LOADED : NTB_AGAIN;
}

bool ntb_endpoint_set_ram(NtbEndpoint* ep, std::uint64_t viewers, const NtbRamRange* ranges,
                          std::size_t count, char* error) {
    if (auto told = ep->endpoint->set_ram(viewers, {ranges, count}); !told) {
        put_error(error, told.error().message);
        return false;
    }
    return true;
}
