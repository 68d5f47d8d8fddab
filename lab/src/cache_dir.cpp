// SPDX-License-Identifier: MIT
#include "cache_dir.h"

#include <cstdlib>

namespace ntblab::lab {

std::filesystem::path cache_dir() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "ntblab";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache/ntblab";
    return {};
}

}  // namespace ntblab::lab
