// SPDX-License-Identifier: MIT
// A switch with hosts, for tests: register access by name, and what a driver does in one call.
//
//     Bench bench(2);
//     bench.boot(0);
//     bench.boot(1);
//     bench.map_lut(/*by=*/1, /*in=*/0, /*entry=*/0, 0x10000000);
//     EXPECT_EQ(bench.chip.translate(0, 2, 0)->target, 1);
#pragma once

#include <gtest/gtest.h>
#include <switchtec/chip.h>
#include <switchtec/registers.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace switchtec::test {

inline constexpr std::uint64_t kMiB = 1ULL << 20;

/// Memory as Chip::create wants it.
class Memory {
  public:
    Memory() : bytes_(static_cast<std::byte*>(std::aligned_alloc(4096, size()))) {}
    std::span<std::byte> span() const { return {bytes_.get(), Chip::state_size()}; }

  private:
    struct Free {
        void operator()(std::byte* p) const { std::free(p); }
    };
    static std::size_t size() { return (Chip::state_size() + 4095) / 4096 * 4096; }
    std::unique_ptr<std::byte, Free> bytes_;
};

inline ChipConfig config_of(unsigned partitions, const PartitionConfig& each = {}) {
    ChipConfig config;
    config.partitions.assign(partitions, each);
    return config;
}

/// Partitions 2i and 2i + 1 reach each other.
inline ChipConfig pairs(unsigned partitions) {
    ChipConfig config = config_of(partitions);
    for (unsigned p = 0; p < partitions; ++p) config.partitions[p].targets = 1ULL << (p ^ 1);
    return config;
}

class Bench {
  public:
    explicit Bench(unsigned partitions) : Bench(config_of(partitions)) {}
    explicit Bench(const ChipConfig& config)
        : chip(Chip::create(memory.span(), config, [this] { return now; }).value()) {}

    std::uint64_t get(unsigned host, Reg reg, unsigned block = 0, unsigned index = 0) const {
        return chip.read(host, offset_of(reg, block, index), size_of(reg));
    }
    void set(unsigned host, Reg reg, unsigned block, unsigned index, std::uint64_t value) {
        chip.write(host, offset_of(reg, block, index), value, size_of(reg));
    }
    unsigned state(unsigned host, unsigned block) const {
        return get(host, Reg::NtbPartitionStatus, block) & 0xFFFF;
    }
    unsigned owner(unsigned host, unsigned block) const {
        return get(host, Reg::NtbPartitionStatus, block) >> 16 & 0xFF;
    }
    void op(unsigned host, unsigned block, std::uint32_t operation) {
        set(host, Reg::NtbPartitionOp, block, 0, operation);
    }

    /// Attached, bus master, root complex in the requester-ID table: its CPUs can use windows, and others
    /// reach its memory.
    void boot(unsigned host) {
        chip.attach(host);
        chip.set_bus_master(host, true);
        configure(host, host, [&] { set(host, Reg::NtbRequesterEntry, host, 0, kRequesterValid); });
    }
    /// LOCK, `writes`, CONFIGURE, windows applied. Returns the state that the driver would read.
    template <typename Writes>
    unsigned configure(unsigned host, unsigned block, Writes writes) {
        op(host, block, kOpLock);
        EXPECT_EQ(state(host, block), kLocked);
        writes();
        op(host, block, kOpConfigure);
        apply_windows();
        return state(host, block);
    }
    unsigned map_lut(unsigned by, unsigned in, unsigned entry, std::uint64_t address, unsigned count = 64) {
        return configure(by, in, [&] {
            set(by, Reg::NtbBarCtl, in, 2,
                kBarLut | kLutLog2 << kBarLutSizeShift | (count - 1) << kBarLutCountShift);
            set(by, Reg::NtbLutEntry, in, entry, address | by << 1 | kLutValid);
        });
    }
    unsigned map_direct(unsigned by, unsigned in, unsigned bar, std::uint64_t address, std::uint64_t size) {
        return configure(by, in, [&] { write_direct(by, in, bar, address, size); });
    }
    /// As the driver's switchtec_ntb_mw_set_direct.
    void write_direct(unsigned by, unsigned in, unsigned bar, std::uint64_t address, std::uint64_t size) {
        const auto position = static_cast<unsigned>(63 - __builtin_clzll(size));
        set(by, Reg::NtbBarCtl, in, bar, get(by, Reg::NtbBarCtl, in, bar) | kBarDirect);
        set(by, Reg::NtbBarWindowSize, in, bar, position | (size & 0xFFFFF000));
        set(by, Reg::NtbBarWindowSizeExt, in, bar, size >> 32);
        set(by, Reg::NtbBarTranslation, in, bar, by | address);
    }
    void apply_windows() {
        for (unsigned p = 0; p < chip.partitions(); ++p) chip.windows_applied(p, chip.window_generation(p));
    }
    std::vector<unsigned> interrupts(unsigned host) {
        std::vector<unsigned> result;
        while (const auto vector = chip.take_interrupt(host)) result.push_back(*vector);
        return result;
    }

    /// As the host's emulator: writes the answer of MRPC by DMA into `host_memory`, if there is one.
    void apply_dma(unsigned host) {
        const auto dma = chip.take_mrpc_dma(host);
        if (!dma) return;
        host_memory.insert(host_memory.end(), dma->header.begin(), dma->header.end());
        host_memory.insert(host_memory.end(), dma->data.begin(), dma->data.end());
        chip.mrpc_dma_done(host, dma->number);
    }
    std::vector<std::uint8_t> host_memory;  ///< Header and data of each answer.

    static unsigned size_of(Reg reg) { return locate(offset_of(reg))->reg->size; }

    std::uint64_t now = 0;  ///< The clock, in ns.
    Memory memory;
    Chip chip;
};

using Vectors = std::vector<unsigned>;

}  // namespace switchtec::test
