// SPDX-License-Identifier: MIT
// What the modules of a system have counted, as JSON: links by direction, switches, NTBs, DMA engines, hosts.
// Times are in picoseconds, and keys say so.
#pragma once

#include <nlohmann/json.hpp>

#include "pcie/system.h"

namespace ntblab::sim {

nlohmann::ordered_json statistics_json(const pcie::System& system);

}  // namespace ntblab::sim
