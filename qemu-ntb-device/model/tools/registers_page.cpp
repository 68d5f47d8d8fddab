// SPDX-License-Identifier: MIT
// Prints docs/registers.md:
//     build/bin/switchtec-registers > docs/registers.md
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <switchtec/decode.h>
#include <switchtec/registers.h>

#include <cstdio>
#include <string>

namespace {

// For a cell of a table: no bar may end it early.
std::string escaped(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\\');
    return text;
}

std::string meaning(const switchtec::RegisterInfo& reg) {
    std::string text = reg.meaning;
    if (reg.indices) text += fmt::format(". *: {}", fmt::join(reg.indices, reg.indices + reg.count, ", "));
    return escaped(text);
}

std::string array(const switchtec::RegisterInfo& reg) {
    return reg.count == 1 ? "" : fmt::format("{} x {:#x}", reg.count, reg.stride);
}

std::string name(const switchtec::RegisterInfo& reg) {
    const char* only = !reg.gen4 ? " (Gen3)" : !reg.gen3 ? " (Gen4, Gen5)" : "";
    return fmt::format("`{}`{}", reg.name, only);
}

const char* access(const switchtec::BlockInfo& block, const switchtec::RegisterInfo& reg) {
    SwitchtecRegister decoded{};
    switchtec_decode(reg.gen4 ? 4 : 3, block.base + reg.offset, &decoded);
    return decoded.access;
}

}  // namespace

int main() {
    fmt::print(
        "<!-- Printed by build/bin/switchtec-registers from "
        "qemu-ntb-device/model/include/switchtec/registers.def; a test compares. -->\n"
        "# Registers of the emulated Switchtec (GAS, BAR0)\n\n"
        "Names and offsets are those of Linux 6.12 `include/linux/switchtec.h`; of `top_cfg`, of "
        "switchtec-user 4.5. \"Ours\" marks what "
        "the public record does not say.\nWhat no register backs reads 0 and ignores writes, in any size at "
        "any offset up to 4 MiB. Access: RO, RW, W1C (write 1 clears), W1S (each 1 is an "
        "action), command,\nstaged (written only by the holder of the block's lock, in effect after "
        "CONFIGURE), event (header: bit 0 "
        "W1C, bits 1..4 RW, [12:5] count,\n31 not supported), outside (kept by the device model).\nDoorbells "
        "and messages: a partition reaches its own block only, others read 0. MRPC: each partition has its "
        "own.\nEvent headers belong to the switch: every host sees one set.\n");
    for (const auto& block : switchtec::register_map()) {
        fmt::print("\n## {} at {:#08x}", block.name, block.base);
        if (block.count > 1) fmt::print(", {} blocks {:#x} apart", block.count, block.stride);
        fmt::print("\n\n| offset | bytes | array | name | access | meaning |\n|---|---|---|---|---|---|\n");
        for (const auto& reg : block.registers) {
            fmt::print("| {:#06x} | {} | {} | {} | {} | {} |\n", reg.offset, reg.size, array(reg), name(reg),
                       access(block, reg), meaning(reg));
        }
    }
}
