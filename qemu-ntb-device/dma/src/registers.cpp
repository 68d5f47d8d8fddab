// SPDX-License-Identifier: MIT
#include "registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace switchtec::dma {
namespace {

constexpr RegisterInfo kRegisters[] = {
#define REGISTER(region, id, name, offset, size, access, meaning) \
    {Region::region, Reg::id, Access::access, size, offset, name, meaning},
#include "registers.def"
};

constexpr std::span<const RegisterInfo> registers_of(Region region) {
    const auto* end = std::end(kRegisters);
    const auto* first =
        std::find_if(kRegisters, end, [region](const RegisterInfo& reg) { return reg.region == region; });
    return {first,
            std::find_if(first, end, [region](const RegisterInfo& reg) { return reg.region != region; })};
}

constexpr BlockInfo kMap[] = {
#define BLOCK(region, name, base, stride, count) \
    {name, registers_of(Region::region), base, stride, count, Region::region},
#include "registers.def"
};

}  // namespace

std::span<const BlockInfo> register_map() {
    return kMap;
}

std::optional<Location> locate(std::uint32_t offset) {
    for (const BlockInfo& block : kMap) {
        if (offset < block.base || offset - block.base >= block.stride * block.count) continue;
        const unsigned index = (offset - block.base) / block.stride;
        const std::uint32_t inside = (offset - block.base) % block.stride;
        for (const RegisterInfo& reg : block.registers) {
            if (inside >= reg.offset && inside < reg.offset + reg.size)
                return Location{&block, &reg, index, offset - (inside - reg.offset)};
        }
    }
    return std::nullopt;
}

std::uint32_t offset_of(Reg id, unsigned index) {
    for (const BlockInfo& block : kMap) {
        for (const RegisterInfo& reg : block.registers) {
            if (reg.id == id && index < block.count) return block.base + index * block.stride + reg.offset;
        }
    }
    throw std::out_of_range(fmt::format("register {} has no block {}", static_cast<int>(id), index));
}

const char* register_name(std::uint32_t offset, std::span<char> buffer) {
    if (buffer.empty()) return "";
    std::string name = fmt::format("dma+{:#x}", offset);
    if (const auto at = locate(offset)) {
        name = at->block->name;
        if (at->block->count > 1) name += fmt::format("[{}]", at->block_index);
        name += fmt::format(".{}", at->reg->name);
        if (offset != at->start) name += fmt::format("+{:#x}", offset - at->start);
    }
    buffer[name.copy(buffer.data(), buffer.size() - 1)] = '\0';
    return buffer.data();
}

}  // namespace switchtec::dma
