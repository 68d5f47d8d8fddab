// SPDX-License-Identifier: MIT
#include "switchtec/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "register_text.h"

namespace switchtec {
namespace {

constexpr const char* kGlobalEventNames[kGlobalEvents] = {
    "stack_error",   "ppu_error",           "isp_error",      "sys_reset",     "fw_exception",
    "fw_nmi",        "fw_non_fatal",        "fw_fatal",       "twi_mrpc_comp", "twi_mrpc_comp_async",
    "cli_mrpc_comp", "cli_mrpc_comp_async", "gpio_interrupt", "gfms"};
constexpr const char* kPartEventNames[kPartEvents] = {"part_reset", "mrpc_comp", "mrpc_comp_async",
                                                      "dyn_binding", "intercomm_notify"};
constexpr const char* kPffEventNames[kPffEvents] = {
    "aer_in_p2p", "aer_in_vep",     "dpc",         "cts",
    "uec",        "hotplug",        "ier",         "threshold",
    "power_mgmt", "tlp_throttling", "force_speed", "credit_timeout",
    "link_state"};
constexpr const char* kFlashPartNames[] = {
    "map0",  "map1",    "key0",    "key1",    "bl2_0",   "bl2_1",   "cfg0",    "cfg1",    "img0",   "img1",
    "nvlog", "vendor0", "vendor1", "vendor2", "vendor3", "vendor4", "vendor5", "vendor6", "vendor7"};

constexpr const char* kFlashPartNamesGen3[] = {"cfg0",    "cfg1",    "img0",    "img1",    "nvlog",
                                               "vendor0", "vendor1", "vendor2", "vendor3", "vendor4",
                                               "vendor5", "vendor6", "vendor7"};
constexpr const char* kXmlVersionNames[] = {"cfg", "img"};
constexpr const char* kActiveOrNotNames[] = {"active", "inactive"};

// What the table calls the names of an array's indices.
struct Indices {
    static constexpr const char* const* None = nullptr;
    static constexpr const char* const* GlobalEvents = kGlobalEventNames;
    static constexpr const char* const* PartEvents = kPartEventNames;
    static constexpr const char* const* PffEvents = kPffEventNames;
    static constexpr const char* const* FlashParts = kFlashPartNames;
    static constexpr const char* const* FlashPartsGen3 = kFlashPartNamesGen3;
    static constexpr const char* const* XmlVersions = kXmlVersionNames;
    static constexpr const char* const* ActiveOrNot = kActiveOrNotNames;
};

// What the table says of layouts: in Gen3, in Gen4.
struct Any {
    static constexpr bool gen3 = true;
};
struct Gen4 {
    static constexpr bool gen3 = false;
};

constexpr RegisterInfo kRegisters[] = {
#define REGISTER(region, id, layouts, name, offset, size, count, stride, access, indices, meaning) \
    {Region::region, Reg::id, Access::access, layouts::gen3,    true,   size, offset,              \
     count,          stride,  name,           Indices::indices, meaning},
#define GEN3(region, id, name, offset, size, count, stride, access, indices, meaning) \
    {Region::region, Reg::id, Access::access,   true,   false, size, offset, count,   \
     stride,         name,    Indices::indices, meaning},
#define GEN3_ONLY GEN3
#include "switchtec/registers.def"
};

constexpr FieldInfo kFields[] = {
#define REGISTER_FIELD(id, name, high, low, values) {Reg::id, high, low, name, values},
#include "switchtec/registers.def"
};

// The table keeps the registers of a region, and the fields of a register, together.
template <typename T, std::size_t N, typename Belongs>
constexpr std::span<const T> part_of(const T (&table)[N], Belongs belongs) {
    const T* first = std::find_if(table, table + N, belongs);
    return {first, std::find_if_not(first, table + N, belongs)};
}
constexpr std::span<const RegisterInfo> registers_of(Region region) {
    return part_of(kRegisters, [region](const RegisterInfo& reg) { return reg.region == region; });
}

constexpr BlockInfo kMap[] = {
#define BLOCK(region, name, base, stride, count) \
    {name, registers_of(Region::region), base, stride, count, Region::region},
#include "switchtec/registers.def"
};

const BlockInfo* block_at(std::uint32_t offset) {
    for (const BlockInfo& block : kMap) {
        if (offset >= block.base && offset < block.base + block.stride * block.count) return &block;
    }
    return nullptr;
}

}  // namespace

const char* access_name(Access access) {
    using enum Access;
    switch (access) {
        case ReadOnly:
            return "RO";
        case ReadWrite:
            return "RW";
        case WriteOneClears:
            return "W1C";
        case WriteOneSets:
            return "W1S";
        case Command:
            return "command";
        case Staged:
            return "staged";
        case Mixed:
            return "event";
        case Outside:
            return "outside";
    }
    return "";
}

std::string block_name(const Location& at) {
    return at.block->count > 1 ? fmt::format("{}[{}]", at.block->name, at.block_index) : at.block->name;
}

std::string index_name(const RegisterInfo& reg, unsigned index) {
    std::string name = reg.name;
    const std::string_view mark = reg.indices ? "*" : "[]";
    const auto at = name.find(mark);
    if (at != std::string::npos)
        name.replace(at, mark.size(), reg.indices ? reg.indices[index] : fmt::format("[{}]", index));
    return name;
}

std::span<const BlockInfo> register_map() {
    return kMap;
}

std::span<const FieldInfo> fields(Reg reg) {
    return part_of(kFields, [reg](const FieldInfo& field) { return field.reg == reg; });
}

std::optional<Location> locate(std::uint32_t offset, Layout layout) {
    const BlockInfo* block = block_at(offset);
    if (!block) return std::nullopt;
    const unsigned block_index = (offset - block->base) / block->stride;
    const std::uint32_t block_start = block->base + block_index * block->stride;
    const std::uint32_t inside = offset - block_start;
    for (const RegisterInfo& reg : block->registers) {
        if (inside < reg.offset || !reg.in(layout)) continue;
        const unsigned index = (inside - reg.offset) / reg.stride;
        const unsigned byte = (inside - reg.offset) % reg.stride;
        if (index < reg.count && byte < reg.size)
            return Location{block, &reg, block_index, index, offset - byte};
    }
    return std::nullopt;
}

std::uint32_t offset_of(Reg id, unsigned block_index, unsigned index, Layout layout) {
    for (const BlockInfo& block : kMap) {
        for (const RegisterInfo& reg : block.registers) {
            if (reg.id != id || !reg.in(layout)) continue;
            if (block_index >= block.count || index >= reg.count) {
                throw std::out_of_range(
                    fmt::format("register {}[{}].{} has no index {}: it has {} blocks of {}", block.name,
                                block_index, reg.name, index, block.count, reg.count));
            }
            return block.base + block_index * block.stride + reg.offset + index * reg.stride;
        }
    }
    throw std::out_of_range(fmt::format("register {} is not in this layout", static_cast<int>(id)));
}

const char* register_name(std::uint32_t offset, std::span<char> buffer, Layout layout) {
    const BlockInfo* block = block_at(offset);
    std::string name = "gas";
    std::uint32_t distance = offset;
    if (const auto at = locate(offset, layout)) {
        name = block_name(*at) + "." + index_name(*at->reg, at->index);
        distance = offset - at->start;
    } else if (block) {
        name = block_name({block, nullptr, (offset - block->base) / block->stride, 0, 0});
        distance = (offset - block->base) % block->stride;
    }
    if (distance != 0 || !block) name += fmt::format("+{:#x}", distance);
    const std::size_t length = std::min(name.size(), buffer.size() - 1);
    name.copy(buffer.data(), length);
    buffer[length] = '\0';
    return buffer.data();
}

}  // namespace switchtec
