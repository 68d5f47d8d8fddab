// SPDX-License-Identifier: MIT
// Prints docs/dma-registers.md:
//     build/bin/switchtec-dma-registers > docs/dma-registers.md
#include <fmt/format.h>

#include "registers.h"

namespace {

const char* access(switchtec::dma::Access access) {
    switch (access) {
        case switchtec::dma::Access::ReadOnly:
            return "RO";
        case switchtec::dma::Access::ReadWrite:
            return "RW";
        case switchtec::dma::Access::ClearedByRead:
            return "RC";
    }
    return "";
}

}  // namespace

int main() {
    fmt::print(
        "<!-- Printed by build/bin/switchtec-dma-registers from qemu-ntb-device/dma/src/registers.def; a "
        "test "
        "compares. -->\n"
        "# Registers of the emulated Switchtec's DMA function (BAR0)\n\n"
        "Names and offsets are those of Linux 7.1 `drivers/dma/switchtec_dma.c` and of "
        "Microsemi/switchtec-dma; "
        "\"ours\" marks what neither says.\n"
        "What no register backs reads 0 and ignores writes, in any size at any offset up to 2 MiB, registers "
        "of "
        "channels that there are not\n"
        "included. Access: RO, RW, RC (cleared by a read of any of its bytes).\n");
    for (const auto& block : switchtec::dma::register_map()) {
        fmt::print("\n## {} at {:#08x}", block.name, block.base);
        if (block.count > 1) fmt::print(", {} blocks {:#x} apart", block.count, block.stride);
        fmt::print("\n\n| offset | bytes | name | access | meaning |\n|---|---|---|---|---|\n");
        for (const auto& reg : block.registers)
            fmt::print("| {:#04x} | {} | `{}` | {} | {} |\n", reg.offset, reg.size, reg.name,
                       access(reg.access), reg.meaning);
    }
}
