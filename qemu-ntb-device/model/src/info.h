// SPDX-License-Identifier: MIT
// Read-only regions: top configuration, system, flash, partition configuration, NTB information.
#pragma once

#include "state.h"

namespace switchtec::info {

std::uint32_t read_top(const State& s, unsigned partition, const Location& at);
std::uint32_t read_system(const State& s, unsigned partition, const Location& at);
std::uint64_t read_flash(const State& s, const Location& at);
std::uint32_t read_partition_config(const State& s, const Location& at);
std::uint64_t read_ntb(const State& s, unsigned partition, const Location& at);

}  // namespace switchtec::info
