// SPDX-License-Identifier: MIT
// MRPC: remote procedure calls to the firmware, through each partition's own registers. A command is done
// when the write of the command register returns, but for an answer that goes to the host's memory: then when
// it is there.
#pragma once

#include <optional>

#include "state.h"

namespace switchtec::mrpc {

std::uint64_t read_register(const State& s, unsigned partition, const Location& at);
void write_register(State& s, unsigned partition, const Location& at, Written w);

/// The answer that waits to be written to the host's memory, once.
std::optional<MrpcDma> take_dma(State& s, unsigned partition);
/// It is there: completes the command, if it is still that one, and interrupts.
void dma_done(State& s, unsigned partition, std::uint64_t number);

}  // namespace switchtec::mrpc
