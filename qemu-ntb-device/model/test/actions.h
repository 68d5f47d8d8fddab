// SPDX-License-Identifier: MIT
// Bytes as things done to a switch, for random tests and the fuzzer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace switchtec::test {

/// Does what `bytes` say to a new switch and looks at the invariants after each action. Returns what was
/// broken, or "".
std::string run_actions(std::span<const std::uint8_t> bytes);

}  // namespace switchtec::test
