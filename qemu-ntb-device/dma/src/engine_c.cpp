// SPDX-License-Identifier: MIT
// The C interface. What throws below it is a broken invariant and ends the process, as no C caller catches
// it.
#include <cstdlib>
#include <cstring>
#include <string>

#include "engine.h"
#include "switchtec-dma/engine.h"

struct NtbDma {
    std::unique_ptr<switchtec::dma::Engine> engine;
};

namespace {

void put_error(char* error, const std::string& message) {
    if (error == nullptr) return;
    error[message.copy(error, NTB_DMA_ERROR_SIZE - 1)] = '\0';
}

}  // namespace

NtbDma* ntb_dma_open(const NtbDmaConfig* config, char* error) {
    auto engine = switchtec::dma::Engine::open(*config);
    if (!engine) {
        put_error(error, engine.error().message);
        return nullptr;
    }
    return new NtbDma{std::move(*engine)};
}

void ntb_dma_close(NtbDma* dma) {
    if (dma == nullptr) return;
    dma->engine->close();
    delete dma;
}

unsigned ntb_dma_channels(const NtbDma* dma) {
    return dma->engine->channels();
}

unsigned ntb_dma_vectors(const NtbDma* dma) {
    return dma->engine->vectors();
}

std::uint64_t ntb_dma_read(NtbDma* dma, std::uint32_t offset, unsigned size) {
    return dma->engine->read(offset, size);
}

void ntb_dma_write(NtbDma* dma, std::uint32_t offset, std::uint64_t value, unsigned size) {
    dma->engine->write(offset, value, size);
}

const char* ntb_dma_register_name(std::uint32_t offset, char* buffer, std::size_t size) {
    return switchtec::dma::register_name(offset, {buffer, size});
}

bool ntb_dma_cancelled(const NtbDma* dma, unsigned channel) {
    return dma->engine->cancelled(channel);
}

void ntb_dma_reset(NtbDma* dma) {
    dma->engine->reset();
}

void ntb_dma_set_bus_master(NtbDma* dma, bool enabled) {
    dma->engine->set_bus_master(enabled);
}

void ntb_dma_stop_begin(NtbDma* dma) {
    dma->engine->stop(/*wait=*/false);
}

void ntb_dma_stop(NtbDma* dma) {
    dma->engine->stop(/*wait=*/true);
}

void ntb_dma_go_on(NtbDma* dma) {
    dma->engine->go_on();
}

void* ntb_dma_save(NtbDma* dma, std::size_t* size, char* error) {
    const auto saved = dma->engine->save();
    if (!saved) {
        put_error(error, saved.error().message);
        return nullptr;
    }
    void* copy = std::malloc(saved->size());
    if (copy == nullptr) {
        put_error(error, "no memory for the DMA engine's state");
        return nullptr;
    }
    std::memcpy(copy, saved->data(), saved->size());
    *size = saved->size();
    return copy;
}

bool ntb_dma_load(NtbDma* dma, const void* saved, std::size_t size, char* error) {
    const auto loaded = dma->engine->load({static_cast<const std::byte*>(saved), size});
    if (!loaded) put_error(error, loaded.error().message);
    return loaded.has_value();
}

bool ntb_dma_inspect(NtbDma* dma, unsigned channel, NtbDmaChannelInfo* info) {
    if (channel >= dma->engine->channels()) return false;
    *info = dma->engine->inspect(channel);
    return true;
}
