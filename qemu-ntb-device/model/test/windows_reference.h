// SPDX-License-Identifier: MIT
// Where an access to a window BAR goes by the formulas of the public record alone, from a control block's
// registers: what the chip is compared with.
#pragma once

#include <optional>

#include "state.h"

namespace switchtec::test {

/// Of partition with `config`, whose block has `setup`. Whether the target is there is not looked at.
inline std::optional<Translation> reference(const PartitionConfig& config, const NtbSetup& setup,
                                            unsigned bar, std::uint64_t offset) {
    if (offset >= (bar == 2 ? config.bar2_size : config.bar4_size)) return std::nullopt;
    const std::uint32_t ctl = setup.bar_ctl[bar];
    const bool shared = bar == (config.bar2_size != 0 ? 2 : 4);
    const std::uint64_t begin = shared && (ctl & 1U << 5) ? ((ctl >> 14) + 1) * 0x10000ULL : 0;
    if (offset < begin) {
        const std::uint64_t e = setup.lut[offset >> 16];
        if ((e & 1) == 0) return std::nullopt;
        return Translation{static_cast<std::uint8_t>((e & 0xFFFF) >> 1),
                           (e & ~0xFFFFULL) | (offset & 0xFFFF)};
    }
    const std::uint64_t size =
        std::uint64_t{setup.bar_size_ext[bar]} << 32 | (setup.bar_size[bar] & 0xFFFFF000);
    if (!(ctl & 1U << 4) || offset >= begin + size) return std::nullopt;
    const std::uint64_t low = (1ULL << (setup.bar_size[bar] & 0x3F)) - 1;
    const std::uint64_t xlate = setup.bar_translation[bar];
    return Translation{static_cast<std::uint8_t>(xlate & 0xFFF), (xlate & ~low) | (offset & low)};
}

}  // namespace switchtec::test
