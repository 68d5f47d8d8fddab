// SPDX-License-Identifier: MIT
// MSI-X vectors raised at a host, in the order of their causes.
#pragma once

#include <optional>

#include "state.h"

namespace switchtec::interrupts {

/// Queues `vector` unless it is queued already. Without bus mastering, or for a vector that the table does
/// not have, nothing is sent.
void raise(State& s, unsigned partition, unsigned vector);
std::optional<unsigned> take(State& s, unsigned partition);
void clear(State& s, unsigned partition);

}  // namespace switchtec::interrupts
