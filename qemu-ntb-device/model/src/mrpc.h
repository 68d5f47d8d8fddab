// SPDX-License-Identifier: MIT
// MRPC: remote procedure calls to the firmware. Echo and device info; any other command ends with "bad
// command".
#pragma once

#include "state.h"

namespace switchtec::mrpc {

void run(State& s, unsigned partition, std::uint32_t command);

}  // namespace switchtec::mrpc
