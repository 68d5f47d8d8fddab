// SPDX-License-Identifier: MIT
// Register access to NTB control blocks.
#pragma once

#include "state.h"

namespace switchtec::control {

std::uint64_t read_register(const State& s, unsigned reader, const Location& at);
void write_register(State& s, unsigned writer, const Location& at, Written w);

}  // namespace switchtec::control
