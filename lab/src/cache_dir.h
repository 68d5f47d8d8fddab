// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace ntblab::lab {

/// $XDG_CACHE_HOME/ntblab, else ~/.cache/ntblab; "" if there is neither. It may not exist yet.
std::filesystem::path cache_dir();

}  // namespace ntblab::lab
