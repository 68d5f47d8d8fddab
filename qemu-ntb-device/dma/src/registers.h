// SPDX-License-Identifier: MIT
// The register map of the DMA function's BAR0, from the table in registers.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace switchtec::dma {

enum class Access : std::uint8_t { ReadOnly, ReadWrite, ClearedByRead };

enum class Reg : std::uint8_t {
#define REGISTER(region, id, ...) id,
#include "registers.def"
};

enum class Region : std::uint8_t {
#define BLOCK(region, ...) region,
#include "registers.def"
};

struct RegisterInfo {
    Region region;
    Reg id;
    Access access;
    std::uint8_t size;     ///< In bytes.
    std::uint16_t offset;  ///< In its block.
    const char* name;
    const char* meaning;  ///< For docs; says "ours" where the public record does not say.
};

struct BlockInfo {
    const char* name;
    std::span<const RegisterInfo> registers;
    std::uint32_t base, stride;
    std::uint16_t count;
    Region region;
};

/// Every block, by rising base; a byte belongs to at most one register.
std::span<const BlockInfo> register_map();

/// The register that a byte of BAR0 belongs to.
struct Location {
    const BlockInfo* block;
    const RegisterInfo* reg;
    unsigned block_index;  ///< The channel, in blocks of which each channel has one.
    std::uint32_t start;   ///< Offset of the register's first byte in BAR0.
};
std::optional<Location> locate(std::uint32_t offset);

/// Offset of a register in BAR0. Throws std::out_of_range if there is no such block.
std::uint32_t offset_of(Reg reg, unsigned block = 0);

/// Writes "channel[3].sq_tail", with "+1" added inside of it, or "dma+0x1010" if no register is there, into
/// `buffer`, cut to its size, and returns it.
const char* register_name(std::uint32_t offset, std::span<char> buffer);

}  // namespace switchtec::dma
