// SPDX-License-Identifier: MIT
// Register access: splits an access into the registers it touches.
#pragma once

#include "state.h"

namespace switchtec::gas {

std::uint64_t read(const State& s, unsigned partition, std::uint32_t offset, unsigned size);
void write(State& s, unsigned partition, std::uint32_t offset, std::uint64_t value, unsigned size);

/// A register's value as `partition` reads it.
std::uint64_t read_register(const State& s, unsigned partition, const Location& at);
void write_register(State& s, unsigned partition, const Location& at, Written w);

}  // namespace switchtec::gas
