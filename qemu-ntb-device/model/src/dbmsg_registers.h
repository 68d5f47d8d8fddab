// SPDX-License-Identifier: MIT
// Register access to a partition's own doorbells and messages.
#pragma once

#include "state.h"

namespace switchtec::dbmsg {

std::uint64_t read_register(const State& s, unsigned partition, const RegisterInfo& reg, unsigned index);
void write_register(State& s, unsigned partition, const RegisterInfo& reg, unsigned index, Written w);

}  // namespace switchtec::dbmsg
