// SPDX-License-Identifier: MIT
// A picture of where a transfer's time goes: a bar for each part, from where it begins to where it ends.
//
//     auto drawn = draw_waterfall(*account, "pio-write, 64 bytes", "waterfall.svg");
#pragma once

#include "explain.h"

namespace ntblab::sim {

/// Errors: as gnuplot().
Result<void> draw_waterfall(const Account& account, const std::string& title,
                            const std::filesystem::path& path);

}  // namespace ntblab::sim
