// SPDX-License-Identifier: MIT
#include "switchtec/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "register_text.h"
#include "switchtec/registers.h"

namespace switchtec {
namespace {

Layout layout_of(unsigned generation) {
    return generation == 3 ? Layout::Gen3 : Layout::Gen4;
}

std::size_t put(std::string_view from, char* to, std::size_t capacity) {
    if (capacity == 0) return 0;
    const std::size_t length = from.copy(to, capacity - 1);
    to[length] = '\0';
    return length;
}

// "LOCK" of "1=LOCK 2=CONFIGURE" for 1; empty if it has no name.
std::string_view value_name(std::string_view values, std::uint64_t value) {
    while (!values.empty()) {
        const std::string_view entry = values.substr(0, values.find(' '));
        values.remove_prefix(std::min(values.size(), entry.size() + 1));
        const std::size_t equals = entry.find('=');
        const bool hex = entry.starts_with("0x");
        std::uint64_t number = 0;
        std::from_chars(entry.data() + (hex ? 2 : 0), entry.data() + equals, number, hex ? 16 : 10);
        if (number == value) return entry.substr(equals + 1);
    }
    return {};
}

std::string field_text(const FieldInfo& field, std::uint64_t value) {
    const unsigned bits = field.high - field.low + 1U;
    const std::uint64_t part = value >> field.low & (bits == 64 ? ~0ULL : (1ULL << bits) - 1);
    const std::string_view name = value_name(field.values, part);
    return name.empty() ? fmt::format("{}={:#x}", field.name, part) : fmt::format("{}={}", field.name, name);
}

std::string register_text(const Location& at, unsigned inside, unsigned bytes, std::uint64_t value) {
    std::string text = block_name(at) + "." + index_name(*at.reg, at.index);
    if (inside != 0) text += fmt::format("+{:#x}", inside);
    if (bytes != at.reg->size && inside == 0) text += fmt::format(":{}", bytes);
    text += fmt::format(" = {:#x}", value);
    const auto all = fields(at.reg->id);
    if (all.empty() || bytes != at.reg->size) return text;
    std::string list;
    for (const FieldInfo& field : all) {
        if (!list.empty()) list += ' ';
        list += field_text(field, value);
    }
    return text + " (" + list + ")";
}

std::string describe(Layout layout, std::uint32_t offset, unsigned size, std::uint64_t value) {
    std::string text;
    for (unsigned done = 0; done < size;) {
        const auto at = locate(offset + done, layout);
        if (!at) {
            ++done;
            continue;
        }
        const unsigned inside = offset + done - at->start;
        const unsigned bytes = std::min<unsigned>(at->reg->size - inside, size - done);
        const std::uint64_t mask = bytes >= 8 ? ~0ULL : (1ULL << 8 * bytes) - 1;
        if (!text.empty()) text += ", ";
        text += register_text(*at, inside, bytes, value >> 8 * done & mask);
        done += bytes;
    }
    if (!text.empty()) return text;
    char name[kRegisterNameSize];
    return fmt::format("{} = {:#x}", register_name(offset, name, layout), value);
}

}  // namespace
}  // namespace switchtec

bool switchtec_decode(unsigned generation, std::uint32_t offset, SwitchtecRegister* reg) {
    const auto at = switchtec::locate(offset, switchtec::layout_of(generation));
    if (!at) return false;
    reg->region = at->block->name;
    reg->block = at->block->count == 1 ? -1 : static_cast<int>(at->block_index);
    switchtec::put(switchtec::index_name(*at->reg, at->index), reg->name, sizeof(reg->name));
    reg->size = at->reg->size;
    reg->byte = offset - at->start;
    reg->access = switchtec::access_name(at->reg->access);
    reg->meaning = at->reg->meaning;
    return true;
}

char* switchtec_describe(unsigned generation, std::uint32_t offset, unsigned size, std::uint64_t value,
                         char* text, std::size_t capacity) {
    switchtec::put(switchtec::describe(switchtec::layout_of(generation), offset, std::min(size, 8U), value),
                   text, capacity);
    return text;
}
