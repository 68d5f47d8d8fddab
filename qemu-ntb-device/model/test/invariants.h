// SPDX-License-Identifier: MIT
// What is true of a switch between any two calls.
//
//     std::string wrong = broken_invariant(chip, state);   // "": all hold
#pragma once

#include <switchtec/chip.h>

#include <string>

#include "state.h"

namespace switchtec::test {

std::string broken_invariant(const Chip& chip, const State& state);

}  // namespace switchtec::test
