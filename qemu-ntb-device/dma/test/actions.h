// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace switchtec::dma::test {

/// Does what the bytes say to an engine without threads, its driver's memory and its host, register accesses
/// in the midst of ops included; returns what was wrong, or nothing.
std::string run_actions(std::span<const std::uint8_t> bytes);

}  // namespace switchtec::dma::test
