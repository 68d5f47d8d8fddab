// SPDX-License-Identifier: MIT
// A host for the engine: RAM from address 0 on, and a window over a peer's that can be closed or made to
// hang.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "switchtec-dma/engine.h"

namespace switchtec::dma::test {

inline constexpr std::uint64_t kWindow = 0x100000000;
inline constexpr std::uint64_t kWindowSize = 16U << 20;
/// For what must come; only a failing test waits that long.
inline constexpr std::chrono::seconds kPatience{60};

/// True as soon as `what` is; false if it does not become so.
inline bool eventually(const std::function<bool()>& what) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!what()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    return true;
}

class FakeHost {
  public:
    static constexpr unsigned kVectors = NTB_DMA_MAX_VECTORS;

    /// `ram` bytes; the engine has its bus mastering on.
    explicit FakeHost(unsigned channels = 4, std::size_t ram = 32U << 20, unsigned vectors = 0)
        : ram_(ram), window_(kWindowSize) {
        ops_ = {.read = read,
                .write = write,
                .copy = copy,
                .interrupt = interrupt,
                .cancel = cancel,
                .descriptor = descriptor,
                .thread_begin = thread_begin,
                .thread_end = thread_end};
        config_ = {.channels = channels,
                   .vectors = vectors,
                   .firmware_version = 1,
                   .protocol_version = 2,
                   .hardware_version = 3,
                   .ops = &ops_,
                   .opaque = this};
        dma = ntb_dma_open(&config_, error);
        EXPECT_NE(dma, nullptr) << error;
        ntb_dma_set_bus_master(dma, true);
    }
    ~FakeHost() { close(); }
    FakeHost(const FakeHost&) = delete;
    FakeHost& operator=(const FakeHost&) = delete;

    void close() {
        ntb_dma_close(dma);
        dma = nullptr;
        EXPECT_EQ(threads.load(), 0);
    }
    /// Another engine in place of this one, with the same memory. Bus mastering is off.
    void replace() {
        close();
        dma = ntb_dma_open(&config_, error);
        ASSERT_NE(dma, nullptr) << error;
    }

    /// Where an address leads; null if not all of it is there.
    std::byte* at(std::uint64_t address, std::size_t size) {
        if (address >= kWindow && address - kWindow <= kWindowSize &&
            size <= kWindowSize - (address - kWindow))
            return window_open ? window_.data() + (address - kWindow) : nullptr;
        if (address <= ram_.size() && size <= ram_.size() - address) return ram_.data() + address;
        return nullptr;
    }
    template <typename T>
    T get(std::uint64_t address) {
        T value;
        std::memcpy(&value, at(address, sizeof(T)), sizeof(T));
        return value;
    }
    template <typename T>
    void put(std::uint64_t address, const T& value) {
        std::memcpy(at(address, sizeof(T)), &value, sizeof(T));
    }
    std::span<std::byte> memory(std::uint64_t address, std::size_t size) { return {at(address, size), size}; }

    std::uint64_t reg(std::uint32_t offset, unsigned size) { return ntb_dma_read(dma, offset, size); }
    void set(std::uint32_t offset, std::uint64_t value, unsigned size) {
        ntb_dma_write(dma, offset, value, size);
    }

    /// Ops that touch the window wait, until they are cancelled or the window answers again.
    void hang() { hanging_ = true; }
    void answer() {
        const std::lock_guard lock(mutex_);
        hanging_ = false;
        wake_.notify_all();
    }
    /// Waits until `count` ops wait for the window.
    void wait_for_hanging(unsigned count) {
        ASSERT_TRUE(eventually([&] { return waiting.load() == count; }));
    }
    void clear_interrupts() {
        for (auto& count : interrupts) count = 0;
    }

    NtbDma* dma = nullptr;
    char error[NTB_DMA_ERROR_SIZE] = "";
    std::atomic<bool> window_open{true};
    std::atomic<unsigned> waiting{0};              ///< Ops that wait for the window.
    std::atomic<unsigned> running{0};              ///< Ops that run.
    std::atomic<std::uint64_t> begun{0};           ///< Ops ever begun.
    std::atomic<unsigned> interrupts[kVectors]{};  ///< Sent, of each vector.
    std::atomic<int> threads{0};                   ///< Begun less ended.
    std::atomic<unsigned> descriptors{0};          ///< Told of.
    NtbDmaDescriptor last_descriptor{};            ///< To be looked at when no channel runs.
    std::function<void(unsigned vector)> on_interrupt;
    /// Of reads, writes, copies and interrupts; of a read the address is the source.
    std::function<void(const char* op, std::uint64_t address, std::size_t size)> on_op;

  private:
    class Running {
      public:
        explicit Running(FakeHost& host) : host_(host) {
            ++host.begun;
            ++host.running;
        }
        ~Running() { --host_.running; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

      private:
        FakeHost& host_;
    };

    static FakeHost& self(void* opaque) { return *static_cast<FakeHost*>(opaque); }

    void tell(const char* op, std::uint64_t address, std::size_t size) const {
        if (on_op) on_op(op, address, size);
    }
    /// False: cancelled.
    bool wait_for_window(unsigned channel, std::uint64_t address) {
        if (address < kWindow || !hanging_) return true;
        std::unique_lock lock(mutex_);
        ++waiting;
        wake_.wait(lock, [&] { return !hanging_ || ntb_dma_cancelled(dma, channel); });
        --waiting;
        return !ntb_dma_cancelled(dma, channel);
    }

    static bool read(void* opaque, unsigned channel, std::uint64_t address, void* data, std::size_t size) {
        FakeHost& host = self(opaque);
        const Running running(host);
        host.tell("read", address, size);
        if (!host.wait_for_window(channel, address)) return false;
        const std::byte* from = host.at(address, size);
        if (from == nullptr) return false;
        std::memcpy(data, from, size);
        return true;
    }
    static bool write(void* opaque, unsigned channel, std::uint64_t address, const void* data,
                      std::size_t size) {
        FakeHost& host = self(opaque);
        const Running running(host);
        host.tell("write", address, size);
        if (!host.wait_for_window(channel, address)) return false;
        std::byte* to = host.at(address, size);
        if (to == nullptr) return false;
        if (size == 4 && address % 4 == 0) {
            std::uint32_t value = 0;
            std::memcpy(&value, data, sizeof(value));
            std::atomic_ref(*reinterpret_cast<std::uint32_t*>(to)).store(value, std::memory_order_release);
        } else {
            std::memcpy(to, data, size);
        }
        return true;
    }
    static NtbDmaStatus copy(void* opaque, unsigned channel, std::uint64_t destination, std::uint64_t source,
                             std::size_t size) {
        FakeHost& host = self(opaque);
        const Running running(host);
        host.tell("copy", destination, size);
        if (size == 0 || size > NTB_DMA_CHUNK) return NTB_DMA_CANCELLED;
        if (!host.wait_for_window(channel, std::max(destination, source))) return NTB_DMA_CANCELLED;
        const std::byte* from = host.at(source, size);
        if (from == nullptr) return NTB_DMA_SOURCE_FAILED;
        std::byte* to = host.at(destination, size);
        if (to == nullptr) return NTB_DMA_DESTINATION_FAILED;
        std::memmove(to, from, size);
        return NTB_DMA_OK;
    }
    static void interrupt(void* opaque, unsigned, unsigned vector) {
        FakeHost& host = self(opaque);
        const Running running(host);
        host.tell("interrupt", vector, 0);
        if (host.on_interrupt) host.on_interrupt(vector);
        ++host.interrupts[vector];
    }
    static void cancel(void* opaque, unsigned) {
        FakeHost& host = self(opaque);
        const std::lock_guard lock(host.mutex_);
        host.wake_.notify_all();
    }
    static void descriptor(void* opaque, const NtbDmaDescriptor* told) {
        FakeHost& host = self(opaque);
        const std::lock_guard lock(host.mutex_);
        host.last_descriptor = *told;
        ++host.descriptors;
    }
    static void thread_begin(void* opaque, unsigned) { ++self(opaque).threads; }
    static void thread_end(void* opaque, unsigned) { --self(opaque).threads; }

    NtbDmaOps ops_{};
    NtbDmaConfig config_{};
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<bool> hanging_{false};
    std::vector<std::byte> ram_, window_;
};

}  // namespace switchtec::dma::test
